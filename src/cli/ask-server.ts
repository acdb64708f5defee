import type { z } from "zod";
import { messageOf, oneLine, StalewatchError } from "../base/index.ts";
import { UsageError } from "./failure.ts";

/** Far more than 50 000 findings. */
const LARGEST_ANSWER = 256 << 20;

export interface AskOptions<T> {
  /** Of the sidecar's status listener, with or without a path in front of `/api`. */
  readonly server: string;
  /** `jobs?all`, behind `/api/v1/`. */
  readonly path: string;
  /** What is used of the answer; what else there is goes through. */
  readonly schema: z.ZodType<T>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a running sidecar answers on `/api/v1`, checked by the schema. Errors: `USAGE` for an address that is none, `SERVER_UNREACHABLE`,
 * `SERVER_ANSWER` for whatever is no answer of a sidecar.
 */
export async function askServer<T>({ server, path, schema, timeoutMs, signal }: AskOptions<T>): Promise<T> {
  const url = addressOf(server, path);
  const patience = AbortSignal.timeout(timeoutMs);
  try {
    const signals = signal ? [signal, patience] : [patience];
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.any(signals) });
    const text = await bodyOf(response);
    if (!response.ok) throw wrongAnswer(url, `it answered ${response.status} ${oneLine(text.slice(0, 200))}`);
    return checked(url, parsed(url, text), schema);
  } catch (thrown) {
    if (thrown instanceof StalewatchError || signal?.aborted) throw thrown;
    const why = patience.aborted ? `no answer within ${timeoutMs / 1_000} s` : messageOf(thrown);
    const remedy = "check that stalewatch run serves its status there (--status-bind-address)";
    throw new StalewatchError("SERVER_UNREACHABLE", `${url.origin} cannot be asked: ${why}`, remedy, { cause: thrown });
  }
}

function addressOf(server: string, path: string): URL {
  const base = URL.parse(server.endsWith("/") ? server : `${server}/`);
  if (base && /^https?:$/.test(base.protocol) && base.username === "" && base.password === "") {
    return new URL(`api/v1/${path}`, base);
  }
  throw new UsageError(
    `--server ${oneLine(base ? base.host : server)} is no http or https address without credentials`,
    "write it as http://127.0.0.1:8080",
  );
}

async function bodyOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) throw new Error(`the answer is larger than ${LARGEST_ANSWER >> 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(url: URL, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrongAnswer(url, "it did not answer with JSON");
  }
}

function checked<T>(url: URL, answer: unknown, schema: z.ZodType<T>): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const what = `${issue?.path.map(String).join(".") ?? ""} ${issue?.message}`;
  throw new StalewatchError("SERVER_ANSWER", `${url.origin} did not answer as a sidecar does: ${oneLine(what)}`);
}

function wrongAnswer(url: URL, why: string): StalewatchError {
  return new StalewatchError("SERVER_ANSWER", `${url.origin} is no sidecar that can be asked: ${why}`);
}
