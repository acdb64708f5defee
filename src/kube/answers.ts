import { type ExchangeResponse, isAbort, messageOf, oneLine } from "../base/index.ts";
import { ApiError } from "./errors.ts";
import { type Status, statusError, type Subject } from "./status.ts";

/** An error body is read up to here; the rest of a proxy's page helps nobody. */
const LONGEST_ERROR_BODY = 1 << 20;

/** The error for an answer outside 2xx. */
export async function refusal(response: ExchangeResponse, subject: Subject): Promise<ApiError> {
  const retryAfterMs = retryAfterOf(response);
  const answer = { code: response.status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const bytes = await readBody(response.body, LONGEST_ERROR_BODY);
  const status = isJson(response) ? statusIn(bytes) : undefined;
  if (status) return statusError(status, subject, answer);
  const message =
    isJson(response) || bytes.length === 0 ? "" : `${startOf(bytes)}, said by something that is no API server`;
  return statusError({ message }, subject, answer);
}

/** The body of a 2xx answer as JSON. Errors: `UnreadableAnswer` for a proxy's page and for JSON that breaks off. */
export function parseJson(bytes: Buffer, response: ExchangeResponse, subject: Subject): unknown {
  if (!isJson(response)) {
    const type = response.headers["content-type"] ?? "no Content-Type";
    const remedy = "check the server's address and any proxy in between";
    throw unreadable(subject, `the answer is ${oneLine(type)} where JSON was asked for (${startOf(bytes)})`, remedy);
  }
  try {
    return JSON.parse(bytes.toString());
  } catch (thrown) {
    throw unreadable(subject, `the answer of ${bytes.length} bytes is not whole JSON`, "", thrown);
  }
}

export function unreadable(subject: Subject, what: string, remedy = "", cause?: unknown): ApiError {
  const message = `${subject.verb} ${subject.name}: ${what}`;
  return new ApiError({ status: 0, reason: "UnreadableAnswer", message, remedy, resource: subject.name, cause });
}

/** What a failed exchange or a broken body means: the caller's abort, or an `ApiError`. */
export function exchangeError(thrown: unknown, subject: Subject, signal: AbortSignal | undefined): unknown {
  if (thrown instanceof ApiError) return thrown;
  if (isAbort(thrown, signal)) return signal?.reason ?? thrown;
  return new ApiError({
    status: 0,
    reason: "Unreachable",
    message: `${subject.verb} ${subject.name}: ${messageOf(thrown)}`,
    remedy: "check that the API server runs and can be reached",
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

function statusIn(bytes: Buffer): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(bytes.toString());
    const isStatus = typeof parsed === "object" && parsed !== null && "kind" in parsed && parsed.kind === "Status";
    return isStatus ? (parsed as Status) : undefined;
  } catch {
    return undefined; // Said in the error's message by its HTTP status alone.
  }
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
