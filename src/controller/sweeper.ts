import { isAbort, messageOf, sleep } from "../base/index.ts";
import type { Counter, Env } from "../telemetry/index.ts";
import type { Sweep } from "./controller-options.ts";
import { sweepsTotal } from "./metrics.ts";
import { PassLog } from "./pass-log.ts";

export interface SweeperOptions {
  readonly controller: string;
  readonly sweep: (sweep: Sweep) => Promise<void> | void;
  readonly periodMs: number;
  /** What a sweep can read and write. */
  readonly reach: Pick<Sweep, "cached" | "live" | "write">;
  readonly env: Env;
}

/** Calls a controller's sweep once a period, each time a period of 90 to 110 %, so that a fleet does not sweep at once. Never two at a time. */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #results: Readonly<Record<"success" | "error", Counter>>;
  readonly #over: AbortController = new AbortController();
  #sweeping = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
    const { controller, env } = options;
    const sweeps = env.meter.counter(sweepsTotal);
    this.#results = {
      success: sweeps.labels({ controller, result: "success" }),
      error: sweeps.labels({ controller, result: "error" }),
    };
  }

  /** Whether a sweep is under way. */
  get sweeping(): boolean {
    return this.#sweeping;
  }

  /** Until `stop`; then resolves once the sweep under way has ended. `signal` aborts that one. Never rejects for what a sweep throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { periodMs, env } = this.#options;
    while (await this.#slept(periodMs * (0.9 + 0.2 * env.random()))) await this.#sweep(signal);
  }

  stop(): void {
    this.#over.abort();
  }

  /** False when stopped. */
  async #slept(ms: number): Promise<boolean> {
    const { signal } = this.#over;
    try {
      await sleep(this.#options.env.clock, ms, signal);
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
    return !signal.aborted;
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { controller, sweep, reach, env } = this.#options;
    const span = env.tracer.startSpan(`${controller} sweep`);
    this.#sweeping = true;
    try {
      await sweep({ ...reach, now: () => env.clock.now(), signal, span, log: new PassLog(env.log, { controller }) });
      this.#results.success.inc();
    } catch (error) {
      this.#results.error.inc();
      span.fail(error);
      env.log.error("a sweep failed; the next one is due in a period", { controller, error: messageOf(error) });
    } finally {
      this.#sweeping = false;
      span.end();
    }
  }
}
