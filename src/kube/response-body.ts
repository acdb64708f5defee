import type { Dispatcher } from "undici";

/** Held back at the socket while so much waits to be read. */
const HIGH_WATER_BYTES = 256 * 1024;

interface Waiter {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
}

/**
 * A response's body between undici's callbacks and one reader. Does what a Node stream would, for a fraction of its cost at a watch
 * event a chunk.
 */
export class ResponseBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #controller: Dispatcher.DispatchController;
  readonly #failureOf: (error: unknown) => unknown;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #paused = false;
  #waiter: Waiter | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(controller: Dispatcher.DispatchController, failureOf: (error: unknown) => unknown) {
    this.#controller = controller;
    this.#failureOf = failureOf;
  }

  push(chunk: Uint8Array): void {
    // The API server sends each event as an HTTP chunk of its own, and one read of the socket brings many: they go on together.
    if (this.#waiter && this.#chunks.length === 0) queueMicrotask(() => this.#serve());
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < HIGH_WATER_BYTES || this.#paused) return;
    this.#paused = true;
    this.#controller.pause();
  }

  /** What came before is still read. */
  finish(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end;
    this.#serve();
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      this.#serve();
    });
  }

  /** The reader has had enough: closes the connection unless the body has ended. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks = [];
    if (!this.#end) {
      this.#end = {};
      this.#controller.abort(new DOMException("the reader has had enough", "AbortError"));
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #serve(): void {
    const waiter = this.#waiter;
    if (!waiter) return;
    if (this.#chunks.length > 0) {
      this.#waiter = undefined;
      waiter.resolve({ done: false, value: this.#takeAll() });
    } else if (this.#end) {
      this.#waiter = undefined;
      const { error } = this.#end;
      this.#end = {};
      if (error === undefined) waiter.resolve({ done: true, value: undefined });
      else waiter.reject(this.#failureOf(error));
    }
  }

  #takeAll(): Uint8Array {
    const chunks = this.#chunks;
    const all = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, this.#size);
    this.#chunks = [];
    this.#size = 0;
    if (this.#paused) this.#controller.resume();
    this.#paused = false;
    return all;
  }
}
