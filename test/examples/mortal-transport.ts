import type { ExchangeRequest, ExchangeResponse, Transport } from "../../src/base/index.ts";

/** The network of one process, which can be killed between any two of its writes, or stand still for a while. */
export class MortalTransport implements Transport {
  readonly #inner: Transport;
  readonly #onDeath: () => void;
  #isDead = false;
  #thaw: PromiseWithResolvers<void> | undefined;
  #writes = 0;
  #due: { readonly at: number; readonly happen: () => void } | undefined;

  /** `onDeath` is called once, when it is killed. */
  constructor(inner: Transport, onDeath: () => void) {
    this.#inner = inner;
    this.#onDeath = onDeath;
  }

  /** SIGKILL: nothing is sent or answered any more. What has been sent is done all the same. */
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.thaw();
    void this.#inner.close();
    this.#onDeath();
  }

  /** SIGSTOP: what is to be sent waits, before anything that is checked as it is sent. */
  freeze(): void {
    this.#thaw ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#thaw?.resolve();
    this.#thaw = undefined;
  }

  /** Calls `happen` once so many more writes have been done, before the process hears of the last one. Renewals do not count. */
  afterWrites(count: number, happen: () => void): void {
    this.#due = { at: this.#writes + Math.max(count, 1), happen };
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    await this.#alive();
    const response = await this.#inner.exchange(request);
    if (request.method !== "GET" && request.pool === "requests") this.#countWrite();
    await this.#alive();
    return response;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #alive(): Promise<void> {
    while (this.#thaw) await this.#thaw.promise;
    if (this.#isDead) throw new Error("the process is dead");
  }

  #countWrite(): void {
    this.#writes += 1;
    if (this.#due?.at !== this.#writes) return;
    const { happen } = this.#due;
    this.#due = undefined;
    happen();
  }
}
