import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Agent, type Dispatcher, request } from "undici";
import { fileProblem } from "../base/index.ts";
import { describeScrapeFailure } from "./describe-scrape-failure.ts";
import { ExpositionParser, type ExpositionLimits } from "./exposition-parser.ts";
import type { MetricsPage, MetricsSource } from "./metrics-page.ts";
import { refusalOf } from "./refusal-of.ts";
import { ScrapeError } from "./scrape-error.ts";

export interface MetricsEndpointOptions {
  /** http or https, without credentials. */
  readonly url: URL;
  /** Sent as a bearer token. This and the other files are read anew for each page: all of them may be rotated. */
  readonly tokenFile?: string;
  /** Who may vouch for the server; the CAs that Node knows unless given. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly limits?: ExpositionLimits;
}

interface Files {
  readonly token: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Longer than the time between two scrapes, so that a connection serves many. */
const KEEP_ALIVE_MS = 90_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** A /metrics over HTTP. Keeps one connection as long as the certificates stay the same. */
export class MetricsEndpoint implements MetricsSource {
  readonly #options: MetricsEndpointOptions;
  #agent: Agent | undefined;
  #madeWith = "";

  constructor(options: MetricsEndpointOptions) {
    this.#options = options;
  }

  async read({ wanted, signal }: Parameters<MetricsSource["read"]>[0]): Promise<MetricsPage> {
    const { url, limits } = this.#options;
    const files = await this.#files();
    try {
      const response = await this.#request(files, signal);
      const parser = new ExpositionParser(wanted, limits);
      for await (const chunk of decoded(response)) parser.push(chunk);
      return parser.end();
    } catch (thrown) {
      signal.throwIfAborted();
      throw describeScrapeFailure(thrown, url.origin);
    }
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  async #request(files: Files, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { url } = this.#options;
    const response = await request(url, {
      dispatcher: this.#agentFor(files),
      signal,
      // The caller's signal bounds all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: {
        accept: "text/plain;version=0.0.4",
        // A target is asked often, and mostly from beside it: compressing would cost it more than the bytes do.
        "accept-encoding": "identity",
        "user-agent": "stalewatch",
        ...(files.token === undefined ? {} : { authorization: `Bearer ${files.token}` }),
      },
    });
    const refusal = refusalOf(response, url.origin);
    if (!refusal) return response;
    response.body.on("error", () => {}); // nobody reads it any more
    response.body.destroy();
    throw refusal;
  }

  async #files(): Promise<Files> {
    const { tokenFile, caFile, certFile, keyFile } = this.#options;
    const [token, ca, cert, key] = await Promise.all([tokenFile, caFile, certFile, keyFile].map(readIfNamed));
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token.trim())) {
      throw new ScrapeError("credentials", `${tokenFile} holds no token`, "write the token alone into it, in one line");
    }
    return { token: token?.trim(), ca, cert, key };
  }

  #agentFor({ ca, cert, key }: Files): Agent {
    const madeWith = JSON.stringify([ca, cert, key]);
    if (this.#agent && this.#madeWith === madeWith) return this.#agent;
    void this.#agent?.close(); // idle: one page is read at a time
    this.#madeWith = madeWith;
    this.#agent = new Agent({
      connections: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      allowH2: false,
      connect: {
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        rejectUnauthorized: this.#options.insecureSkipTlsVerify !== true,
        timeout: CONNECT_TIMEOUT_MS,
      },
    });
    return this.#agent;
  }
}

/** The body, unpacked where a proxy has packed it all the same. */
function decoded({ headers, body }: Dispatcher.ResponseData): AsyncIterable<Uint8Array> {
  if (headers["content-encoding"] !== "gzip") return body;
  const unzip = createGunzip();
  body.on("error", (error) => unzip.destroy(error));
  unzip.on("close", () => body.destroy());
  return Readable.from(body).pipe(unzip);
}

async function readIfNamed(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return await readFile(path, "utf8").catch((error: unknown) => {
    throw new ScrapeError("credentials", `${path} cannot be read: ${fileProblem(error)}`, "check the file", error);
  });
}
