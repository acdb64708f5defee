import type { ExchangeRequest, ExchangeResponse, Transport } from "../../src/base/index.ts";

/** The network of one process, which can be killed between any two of its writes, or stand still for a while. */
export class MortalTransport implements Transport {
  readonly #inner: Transport;
  readonly #onDeath: () => void;
  #isDead = false;
  #writesLeft: number = Number.POSITIVE_INFINITY;
  #thaw: PromiseWithResolvers<void> | undefined;

  /** `onDeath` is called once, when it is killed. */
  constructor(inner: Transport, onDeath: () => void) {
    this.#inner = inner;
    this.#onDeath = onDeath;
  }

  /** Nothing is sent or answered any more. What has been sent is done all the same. */
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.thaw();
    void this.#inner.close();
    this.#onDeath();
  }

  /** Kills it once so many more writes have been done, before it hears the answer to the last one; renewals do not count. */
  killAfterWrites(count: number): void {
    this.#writesLeft = count;
  }

  /** SIGSTOP: what is to be sent waits, and so does what is to be checked before it is sent. */
  freeze(): void {
    this.#thaw ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#thaw?.resolve();
    this.#thaw = undefined;
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    while (this.#thaw) await this.#thaw.promise;
    if (this.#isDead) throw new Error("the process is dead");
    if (request.method !== "GET" && request.pool === "requests") this.#writesLeft -= 1;
    const isLast = this.#writesLeft <= 0;
    const response = await this.#inner.exchange(request);
    if (isLast) {
      this.kill();
      throw new Error("the process is dead");
    }
    return response;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
