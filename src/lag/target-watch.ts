import { messageOf, sleep, StalewatchError } from "../base/index.ts";
import { ScrapeError } from "../scrape/index.ts";
import type { Resource } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { STALLED_AFTER_MS } from "./lag-state.ts";
import { readPage } from "./read-page.ts";
import type { Target } from "./target.ts";
import { type TargetCacheAnswer, TargetCaches, type TargetCachesOptions, type TargetVerdict } from "./target-caches.ts";
import { targetRestartsTotal, targetScrapeFailuresTotal, targetScrapeSeconds, targetUp } from "./target-metrics.ts";
import { TargetProcess } from "./target-process.ts";
import { readTarget, type StaleSkips, type TargetReading } from "./target-reading.ts";
import { TargetSkips } from "./target-skips.ts";

export interface TargetWatchOptions extends Omit<TargetCachesOptions, "target" | "stalledAfterMs"> {
  readonly target: Target;
  readonly intervalMs: number;
  /** How soon a dead watch of this kind has to be found; 90 s unless given. */
  readonly stalledAfterMs?: (resource: Resource) => number;
  readonly env: Env;
}

/** How a target is doing. Times are wall time in milliseconds. */
export interface TargetStatus {
  readonly name: string;
  readonly address: string;
  /** Undefined before the first try has ended. */
  readonly up: boolean | undefined;
  /** Why it is not up, or nothing can be said of its caches. */
  readonly why: string | undefined;
  readonly remedy: string | undefined;
  readonly lastTriedAt: number | undefined;
  readonly lastReadAt: number | undefined;
  readonly tookMs: number | undefined;
  readonly restarts: number;
  /** Counted across restarts. */
  readonly skips: readonly StaleSkips[];
  /** The last page that could be read. */
  readonly reading: TargetReading | undefined;
  /** What was odd about that page, or is left out, one line each. */
  readonly notes: readonly string[];
  readonly caches: number;
}

/** A page that is missing now and then is no reason to forget what the last one said. */
const HELD_FOR_INTERVALS = 3;

const SHARED = "several processes answer at this address in turn, so that no two pages belong together";
const SHARED_REMEDY = "give each replica a target of its own, with the address of its pod";

/**
 * Reads one target over and over and judges its caches. Nothing that it answers, or fails to answer, ends that: each failure is a
 * state with a reason and a remedy, logged when it changes.
 */
export class TargetWatch {
  readonly #options: TargetWatchOptions;
  readonly #process: TargetProcess = new TargetProcess();
  readonly #skips: TargetSkips;
  readonly #caches: TargetCaches;
  #up: boolean | undefined;
  #failure: { readonly why: string; readonly remedy: string } | undefined;
  #isShared = false;
  #reading: TargetReading | undefined;
  #lastTriedAt: number | undefined;
  #lastReadAt: number | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #tookMs: number | undefined;

  constructor(options: TargetWatchOptions) {
    this.#options = options;
    this.#skips = new TargetSkips(options.target.name, options.env.meter);
    const { intervalMs, stalledAfterMs = () => STALLED_AFTER_MS } = options;
    this.#caches = new TargetCaches({
      ...options,
      // Seen from page to page: the one that shows it comes up to an interval later.
      stalledAfterMs: (resource) => {
        const soon = stalledAfterMs(resource);
        return Math.max(soon - intervalMs, soon / 2);
      },
    });
  }

  /** Resolves after the abort. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { intervalMs, env, target } = this.#options;
    const restarts = env.meter.counter(targetRestartsTotal).labels({ target: target.name });
    restarts.inc(0);
    const unpublish = env.meter.onCollect(() => this.#caches.publish(this.#verdict()));
    while (!signal.aborted) {
      const beganAt = env.clock.monotonic();
      await this.#scrape(signal);
      const leftMs = Math.max(0, beganAt + intervalMs - env.clock.monotonic());
      await sleep(env.clock, leftMs, signal).catch(() => {}); // aborted: the loop ends
    }
    unpublish();
    this.#caches.retract();
    for (const gauge of [targetUp, targetScrapeSeconds]) env.meter.gauge(gauge).remove({ target: target.name });
    await target.source.close();
  }

  status(): TargetStatus {
    const { name, address } = this.#options.target;
    const trouble = this.#failure ?? (this.#isShared ? { why: SHARED, remedy: SHARED_REMEDY } : undefined);
    return {
      name,
      address,
      up: this.#up,
      why: trouble?.why,
      remedy: trouble?.remedy,
      lastTriedAt: this.#lastTriedAt,
      lastReadAt: this.#lastReadAt,
      tookMs: this.#tookMs,
      restarts: this.#process.restarts,
      skips: this.#skips.totals,
      reading: this.#reading,
      notes: [...(this.#reading?.notes ?? []), ...this.#skips.notes, ...this.#caches.notes],
      caches: this.#caches.size,
    };
  }

  /** Empty before the first page. */
  answers(): readonly TargetCacheAnswer[] {
    return this.#caches.answers(this.#verdict());
  }

  #verdict(): TargetVerdict {
    return { unknown: this.#unknown(), stopped: this.#reading?.leads === false };
  }

  #unknown(): string | undefined {
    const { clock } = this.#options.env;
    if (this.#isShared) return `${SHARED}: ${SHARED_REMEDY}`;
    const isOld = clock.monotonic() - this.#readAt > HELD_FOR_INTERVALS * this.#options.intervalMs;
    return isOld && this.#failure ? `the target does not answer: ${this.#failure.why}` : undefined;
  }

  async #scrape(signal: AbortSignal): Promise<void> {
    const { target, intervalMs, env } = this.#options;
    const { clock } = env;
    const sentAt = clock.monotonic();
    this.#lastTriedAt = clock.now();
    try {
      const page = await readPage(target, clock, signal, intervalMs);
      const receivedAt = clock.monotonic();
      await this.#take(readTarget(page), { sentAt, receivedAt }, signal);
      this.#readAt = receivedAt;
      this.#lastReadAt = clock.now();
      this.#tell(true);
    } catch (thrown) {
      if (signal.aborted) return;
      const failure = failureOf(thrown);
      env.meter.counter(targetScrapeFailuresTotal).labels({ target: target.name, reason: failure.reason }).inc();
      this.#tell(false, { why: failure.what, remedy: failure.remedy });
    }
    this.#tookMs = clock.monotonic() - sentAt;
    env.meter
      .gauge(targetScrapeSeconds)
      .labels({ target: target.name })
      .set(this.#tookMs / 1_000);
  }

  async #take(
    reading: TargetReading,
    times: { sentAt: number; receivedAt: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { env, target } = this.#options;
    const { process, isNew, isShared } = this.#process.see(reading);
    if (isNew) {
      env.meter.counter(targetRestartsTotal).labels({ target: target.name }).inc();
      this.#caches.forget();
    }
    if (isShared !== this.#isShared) {
      const fields = { target: target.name, remedy: SHARED_REMEDY };
      if (isShared) env.log.warn(`a target cannot be judged: ${SHARED}`, fields);
      else env.log.info("one process alone answers for a target again", { target: target.name });
    }
    this.#isShared = isShared;
    this.#reading = reading;
    this.#skips.see(reading, process);
    await this.#caches.see(reading, times, signal);
  }

  #tell(up: boolean, failure?: { why: string; remedy: string }): void {
    const { target, env } = this.#options;
    env.meter
      .gauge(targetUp)
      .labels({ target: target.name })
      .set(up ? 1 : 0);
    if (failure && failure.why !== this.#failure?.why) {
      env.log.warn("a target cannot be read", { target: target.name, ...failure });
    }
    if (up && this.#up !== true) env.log.info("a target is read", { target: target.name, caches: this.#caches.size });
    this.#up = up;
    this.#failure = failure;
  }
}

/** Whatever was thrown, as a failure of the target: a fault of ours in reading one must not end the others. */
function failureOf(thrown: unknown): ScrapeError {
  if (thrown instanceof ScrapeError) return thrown;
  const remedy = thrown instanceof StalewatchError ? thrown.remedy : "";
  return new ScrapeError("not_metrics", `its page cannot be made sense of: ${messageOf(thrown)}`, remedy, thrown);
}
