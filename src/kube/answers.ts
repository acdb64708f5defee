import { type ExchangeResponse, isAbort, messageOf, oneLine, StalewatchError } from "../base/index.ts";
import type { Codec, Raw } from "./codec.ts";
import { ApiError } from "./errors.ts";
import { isRecord } from "./json-reader.ts";
import { openUnknown, PROTOBUF } from "./protobuf-envelope.ts";
import { statusError, type Subject } from "./status.ts";
import { TransportFailure } from "./transport-failure.ts";

/** An error body is read up to here; the rest of a proxy's page helps nobody. */
const LONGEST_ERROR_BODY = 1 << 20;

/** The error for an answer outside 2xx. */
export async function refusal(response: ExchangeResponse, subject: Subject, codec: Codec): Promise<ApiError> {
  const retryAfterMs = retryAfterOf(response);
  const answer = { code: response.status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const bytes = await readBody(response.body, LONGEST_ERROR_BODY);
  const raw = statusIn(response, bytes);
  if (raw) return statusError(codec.status(raw), subject, answer);
  const message = bytes.length > 0 ? `${startOf(bytes)}, said by something that is no API server` : "";
  return statusError({ message }, subject, answer);
}

/** Where the Status is, in whichever of the two forms; undefined for a proxy's page. */
function statusIn(response: ExchangeResponse, bytes: Buffer): Raw | undefined {
  try {
    if (isProtobuf(response)) return openUnknown({ bytes, start: 0, end: bytes.length });
    const json: unknown = isJson(response) ? JSON.parse(bytes.toString()) : undefined;
    return isRecord(json) && json["kind"] === "Status" ? { json } : undefined;
  } catch {
    return undefined; // The error says what the answer was instead.
  }
}

export function isProtobuf(response: ExchangeResponse): boolean {
  return response.headers["content-type"]?.startsWith(PROTOBUF) ?? false;
}

/** The body of a 2xx answer as JSON. Errors: `UnreadableAnswer` for a proxy's page and for JSON that breaks off. */
export function parseJson(bytes: Buffer, response: ExchangeResponse, subject: Subject): unknown {
  if (!isJson(response)) throw notJson(response, bytes, subject);
  try {
    return JSON.parse(bytes.toString());
  } catch (thrown) {
    throw unreadable(subject, `the answer of ${bytes.length} bytes is not whole JSON`, "", thrown);
  }
}

/** Before a stream is read as JSON. Errors: `UnreadableAnswer`. */
export async function requireJson(response: ExchangeResponse, subject: Subject): Promise<void> {
  if (!isJson(response)) throw notJson(response, await readBody(response.body, LONGEST_ERROR_BODY), subject);
}

function notJson(response: ExchangeResponse, bytes: Buffer, subject: Subject): ApiError {
  const type = response.headers["content-type"] ?? "no Content-Type";
  const remedy = "check the server's address and any proxy in between";
  return unreadable(subject, `the answer is ${oneLine(type)} where JSON was asked for (${startOf(bytes)})`, remedy);
}

export function unreadable(subject: Subject, what: string, remedy = "", cause?: unknown): ApiError {
  const message = `${subject.verb} ${subject.name}: ${what}`;
  return new ApiError({ status: 0, reason: "UnreadableAnswer", message, remedy, resource: subject.name, cause });
}

/** What a failed exchange or a broken body means: the caller's abort, or an `ApiError`. */
export function exchangeError(thrown: unknown, subject: Subject, signal: AbortSignal | undefined): unknown {
  if (thrown instanceof StalewatchError) return thrown;
  if (isAbort(thrown, signal)) return signal?.reason ?? thrown;
  const failure = thrown instanceof TransportFailure ? thrown : undefined;
  return new ApiError({
    status: 0,
    reason: failure?.reason ?? "Unreachable",
    message: `${subject.verb} ${subject.name}: ${messageOf(failure?.message ?? thrown)}`,
    remedy: failure?.remedy ?? "check that the API server runs and can be reached",
    resource: subject.name,
    cause: thrown,
  });
}

/** All of a body, or its first `limit` bytes; the rest is cancelled. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size >= limit) break;
  }
  return Buffer.concat(parts);
}

function isJson(response: ExchangeResponse): boolean {
  return /^application\/(?:[^;]*\+)?json\b/i.test(response.headers["content-type"] ?? "");
}

function startOf(bytes: Buffer): string {
  return `"${oneLine(bytes.toString("utf8", 0, 80)).trim()}"`;
}

/** Seconds, as the API server writes it; the form with a date is not used there. */
function retryAfterOf(response: ExchangeResponse): number | undefined {
  const header = response.headers["retry-after"];
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}
