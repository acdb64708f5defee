import type { ExchangeRequest, Transport } from "../../src/base/index.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any JSON
  readonly body: any;
}

/** One call, its JSON answer read to the end. */
export async function call(
  transport: Transport,
  method: ExchangeRequest["method"],
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await transport.exchange({
    method,
    path,
    headers: { accept: "application/json", "content-type": "application/json", "user-agent": "test", ...headers },
    pool: "requests",
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await readText(response.body);
  const isJson = response.headers["content-type"]?.startsWith("application/json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export interface Frame {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any JSON
  readonly object: any;
}

export interface OpenWatch {
  readonly status: number;
  /** Grows while the stream is read. */
  readonly frames: readonly Frame[];
  /** "open", "ended", or the error that broke it. */
  readonly state: () => string;
  /** Bytes of a frame whose end has not come. */
  readonly rest: () => string;
  stop(): void;
}

/** Opens a watch and reads it in the background. */
export async function startWatch(
  transport: Transport,
  path: string,
  headers: Record<string, string> = {},
): Promise<OpenWatch> {
  const aborter = new AbortController();
  const response = await transport.exchange({
    method: "GET",
    path,
    headers: { accept: "application/json", ...headers },
    pool: "watches",
    signal: aborter.signal,
  });
  const frames: Frame[] = [];
  let state = "open";
  let rest = "";
  const read = async (): Promise<void> => {
    for await (const chunk of response.body) {
      const lines = (rest + Buffer.from(chunk).toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) frames.push(JSON.parse(line) as Frame);
    }
  };
  read().then(
    () => (state = "ended"),
    (error: unknown) => (state = (error as { code?: string }).code ?? String(error)),
  );
  return { status: response.status, frames, state: () => state, rest: () => rest, stop: () => aborter.abort() };
}

export async function readFrames(body: AsyncIterable<Uint8Array>): Promise<Frame[]> {
  const lines = (await readText(body)).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Frame);
}
