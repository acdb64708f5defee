import { type Clock, sleep, StalewatchError } from "../base/index.ts";
import type { CachesAnswer, CacheView, JobsAnswer } from "../http/index.ts";
import type { DemoUrls } from "./stage.ts";

const POLL_MS = 100;
const PATIENCE_MS = 20_000;

/** Looks at the sidecar from outside, as a user's Prometheus and browser would: everything the demo tells was served. */
export class Observer {
  readonly #urls: DemoUrls;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(urls: DemoUrls, options: { clock: Clock; signal: AbortSignal }) {
    this.#urls = urls;
    this.#clock = options.clock;
    this.#signal = options.signal;
  }

  /** The sum of a family's samples that have these labels; 0 when there is none. */
  async metric(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
    const lines = await this.metricLines(name, labels);
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  }

  /** The lines of /metrics for a name and labels, as they are served. */
  async metricLines(name: string, labels: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const page = await (await this.#get(`${this.#urls.metrics}/metrics`)).text();
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return page
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && wanted.every((pair) => line.includes(pair)));
  }

  async jobs(): Promise<JobsAnswer> {
    return (await (await this.#get(`${this.#urls.status}/api/v1/jobs`)).json()) as JobsAnswer;
  }

  /** How many objects of a kind our cache holds. */
  async cached(plural: string): Promise<number> {
    return (await this.cacheOf("self", plural))?.informer?.objects ?? 0;
  }

  /** How late a cache of a kind is; of several the first. */
  async cacheOf(target: string, plural: string): Promise<CacheView | undefined> {
    const { caches } = (await (await this.#get(`${this.#urls.status}/api/v1/caches`)).json()) as CachesAnswer;
    return caches.find((cache) => cache.target === target && cache.resource === plural);
  }

  /** Asks until the answer is neither undefined nor false. Errors: `DEMO_STALLED`, or the signal's reason. */
  async until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    const giveUpAt = this.#clock.monotonic() + PATIENCE_MS;
    for (;;) {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      if (this.#clock.monotonic() > giveUpAt) {
        throw new StalewatchError(
          "DEMO_STALLED",
          `the demo waited in vain for this: ${what}`,
          "run it again on a quieter machine",
        );
      }
      await this.pause(POLL_MS);
    }
  }

  pause(ms: number): Promise<void> {
    return sleep(this.#clock, ms, this.#signal);
  }

  async #get(url: string): Promise<Response> {
    return fetch(url, { signal: this.#signal });
  }
}
