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
  readonly #onSettled: () => void;
  readonly #beforeSend: (() => void) | undefined;
  /** Why it ended, where that is not undici's to say. */
  #refusal: { readonly error: unknown } | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ResponseBody | undefined;

  constructor(
    server: string,
    { signal, beforeSend }: Pick<ExchangeRequest, "signal" | "beforeSend">,
    onSettled: () => void,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<ExchangeResponse>();
    this.response = promise;
    this.#settle = { resolve, reject };
    this.#server = server;
    this.#signal = signal;
    this.#beforeSend = beforeSend;
    this.#onSettled = onSettled;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** The connection is there, and nothing is written yet. What is thrown here ends the call and leaves the connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#refusal) return controller.abort(this.#refusal.error as Error);
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
    this.#settled();
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settled();
    if (this.#body) this.#body.finish({ error });
    else this.#settle.reject(this.#failure(error));
  }

  /** Ends the call with this error. One that still waits for a connection cannot be taken back, only given up. */
  cancel(error: Error): void {
    this.#refusal = { error };
    if (this.#controller) this.#controller.abort(error);
    else this.#settle.reject(error);
  }

  readonly #abort = (): void => this.cancel(this.#signal?.reason as Error);

  #settled(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#onSettled();
  }

  #failure(error: unknown): unknown {
    return this.#refusal ? this.#refusal.error : describeFailure(error, this.#server);
  }
}

function singleHeaders(incoming: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
