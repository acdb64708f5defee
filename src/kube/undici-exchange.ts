import type { Dispatcher } from "undici";
import type { ExchangeRequest, ExchangeResponse } from "../base/index.ts";
import { ResponseBody } from "./response-body.ts";
import { describeFailure } from "./transport-failure.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One call under way: undici's callbacks on one side, the response as a promise on the other. */
export class UndiciExchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<ExchangeResponse>;
  readonly #settle: { resolve: (response: ExchangeResponse) => void; reject: (error: unknown) => void };
  readonly #server: string;
  readonly #signal: AbortSignal | undefined;
  readonly #beforeSend: (() => void) | undefined;
  #refusal: { readonly error: unknown } | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ResponseBody | undefined;

  constructor(server: string, { signal, beforeSend }: Pick<ExchangeRequest, "signal" | "beforeSend">) {
    const { promise, resolve, reject } = Promise.withResolvers<ExchangeResponse>();
    this.response = promise;
    this.#settle = { resolve, reject };
    this.#server = server;
    this.#signal = signal;
    this.#beforeSend = beforeSend;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** The connection is there, and nothing is written yet. What is thrown here ends the call and leaves the connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted) return this.#abort();
    try {
      this.#beforeSend?.();
    } catch (error) {
      this.#refusal = { error };
      throw error;
    }
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#body = new ResponseBody(controller, (error) => this.#failure(error));
    this.#settle.resolve({ status, headers: singleHeaders(headers), body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    if (this.#body) this.#body.finish({ error });
    else this.#settle.reject(this.#failure(error));
  }

  /** A call that still waits for a connection cannot be taken back, only given up. */
  readonly #abort = (): void => {
    if (this.#controller) this.#controller.abort(this.#signal?.reason as Error);
    else this.#settle.reject(this.#signal?.reason);
  };

  #failure(error: unknown): unknown {
    if (this.#refusal) return this.#refusal.error;
    return this.#signal?.aborted ? this.#signal.reason : describeFailure(error, this.#server);
  }
}

function singleHeaders(incoming: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
