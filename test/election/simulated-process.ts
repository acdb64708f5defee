import type { Clock, ExchangeRequest, ExchangeResponse, Timer, Transport } from "../../src/base/index.ts";
import { sleep } from "../../src/base/index.ts";
import type { VirtualClock } from "../../src/testing/index.ts";

/** What the network does to a process's calls; watches that are open stay as they are. */
export type Network =
  | "fine"
  /** Nothing arrives, and nobody says so. */
  | "black hole"
  /** Everything arrives; no answer does. */
  | "deaf"
  /** Everything arrives a few seconds later, also what nobody waits for any more. */
  | "late"
  | "refused";

const LATE_MS = 3_000;

/**
 * The clocks and the network of one process among several in one virtual time. `pause` is SIGSTOP: nothing of it runs, its clocks go
 * on, what it has sent arrives. `suspend` is a machine that sleeps: its monotonic clock stands still as well.
 */
export class SimulatedProcess implements Clock, Transport {
  network: Network = "fine";
  readonly #base: VirtualClock;
  readonly #inner: Transport;
  readonly #onSend: (request: ExchangeRequest) => void;
  #wallOffsetMs = 0;
  #asleepMs = 0;
  #asleepSince: number | undefined;
  #awake: PromiseWithResolvers<void> | undefined;
  #held: (() => void)[] = [];

  /** `onSend` is called for each request that the process sends, whatever becomes of it. */
  constructor(base: VirtualClock, inner: Transport, onSend: (request: ExchangeRequest) => void) {
    this.#base = base;
    this.#inner = inner;
    this.#onSend = onSend;
  }

  get frozen(): boolean {
    return this.#awake !== undefined;
  }

  pause(): void {
    this.#awake ??= Promise.withResolvers();
  }

  suspend(): void {
    this.pause();
    this.#asleepSince ??= this.#base.monotonic();
  }

  /** Timers that fell due meanwhile fire first, as in Node; then the answers come that had arrived. */
  resume(): void {
    if (this.#asleepSince !== undefined) this.#asleepMs += this.#base.monotonic() - this.#asleepSince;
    this.#asleepSince = undefined;
    const awake = this.#awake;
    this.#awake = undefined;
    for (const fire of this.#held.splice(0)) fire();
    awake?.resolve();
  }

  shiftWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  now(): number {
    return this.#base.now() + this.#wallOffsetMs;
  }

  monotonic(): number {
    const now = this.#base.monotonic();
    return now - this.#asleepMs - (this.#asleepSince === undefined ? 0 : now - this.#asleepSince);
  }

  setTimer(run: () => void, delayMs: number): Timer {
    const due = this.monotonic() + Math.max(delayMs, 0);
    let timer: Timer;
    let cancelled = false;
    const fire = (): void => {
      if (cancelled) return;
      const leftMs = due - this.monotonic();
      if (this.frozen) this.#held.push(fire);
      else if (leftMs > 0) timer = this.#base.setTimer(fire, leftMs);
      else run();
    };
    timer = this.#base.setTimer(fire, delayMs);
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    request.signal?.throwIfAborted();
    request.beforeSend?.();
    this.#onSend(request);
    if (request.pool === "watches") return this.#watch(request);
    const answer = this.#carry(request);
    answer.catch(() => {}); // given up below where the caller gave up
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(request.signal?.reason as Error);
    request.signal?.addEventListener("abort", onAbort);
    try {
      return await Promise.race([answer, aborted]);
    } finally {
      request.signal?.removeEventListener("abort", onAbort);
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #watch(request: ExchangeRequest): Promise<ExchangeResponse> {
    if (this.network === "refused") throw new Error("connect ECONNREFUSED");
    const { body, ...head } = await this.#inner.exchange(request);
    return { ...head, body: this.#whileAwake(body) };
  }

  async *#whileAwake(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const part of body) {
      while (this.#awake) await this.#awake.promise;
      yield part;
    }
  }

  /** What is sent arrives whether or not its sender still waits: its signal stays behind. */
  async #carry(sent: ExchangeRequest): Promise<ExchangeResponse> {
    const { beforeSend: _, signal: _signal, ...request } = sent;
    const { network } = this;
    if (network === "refused") throw new Error("connect ECONNREFUSED");
    if (network === "black hole") return new Promise(() => {});
    if (network === "late") await sleep(this.#base, LATE_MS);
    const { body, ...head } = await this.#inner.exchange(request);
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    if (network === "deaf") return new Promise(() => {});
    if (network === "late") await sleep(this.#base, LATE_MS);
    while (this.#awake) await this.#awake.promise;
    return { ...head, body: whole(parts) };
  }
}

async function* whole(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}
