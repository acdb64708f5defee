import type { Meter } from "../telemetry/index.ts";
import { targetStaleSyncSkipsTotal } from "./target-metrics.ts";
import type { StaleSkips, TargetReading } from "./target-reading.ts";

/** Of the processes that were seen last. */
const REMEMBERED = 4;
/** Over time: a target may make up new ones on every page. */
const MOST_CACHES = 500;

type SkippedCache = Omit<StaleSkips, "total">;

/**
 * What Kubernetes 1.36's controllers count once they have skipped a first pass, and not before: a series that is not there stands for 0.
 * Source: the metrics.go and the consistency stores of pkg/controller/{daemon,job,replicaset,statefulset}.
 */
const UPSTREAM: readonly SkippedCache[] = [
  { controller: "daemonset", group: "apps", resource: "daemonsets" },
  { controller: "daemonset", group: "", resource: "pods" },
  { controller: "job", group: "batch", resource: "jobs" },
  { controller: "job", group: "", resource: "pods" },
  { controller: "replicaset", group: "apps", resource: "replicasets" },
  { controller: "replicaset", group: "", resource: "pods" },
  { controller: "statefulset", group: "apps", resource: "statefulsets" },
  { controller: "statefulset", group: "", resource: "pods" },
];

/** Counts a target's stale skips in one family, whatever the target calls them and however often it restarts. */
export class TargetSkips {
  readonly #target: string;
  readonly #meter: Meter;
  /** By process: what each counter stood at. */
  readonly #stood: Map<string, Map<string, number>> = new Map();
  readonly #totals: Map<string, StaleSkips> = new Map();
  #isFull = false;

  constructor(target: string, meter: Meter) {
    this.#target = target;
    this.#meter = meter;
  }

  /** Since this watch of the target began, with what its process had counted before. */
  get totals(): readonly StaleSkips[] {
    return [...this.#totals.values()];
  }

  /** What is left out, one line each. */
  get notes(): readonly string[] {
    return this.#isFull
      ? [`it has published more than ${MOST_CACHES} counters of stale skips; only the first count`]
      : [];
  }

  see({ skips, stores }: TargetReading, process: string): void {
    const stood = this.#stoodIn(process);
    const isUpstream = stores.some(({ name }) => name === "kube-controller-manager");
    for (const cache of isUpstream ? UPSTREAM : []) if (this.#takes(cache)) this.#add(cache, 0);
    for (const skip of skips) {
      if (!this.#takes(skip)) continue;
      const key = keyOf(skip);
      const before = stood.get(key) ?? 0;
      stood.set(key, skip.total);
      this.#add(skip, skip.total < before ? skip.total : skip.total - before);
    }
  }

  #stoodIn(process: string): Map<string, number> {
    const known = this.#stood.get(process);
    if (known) return known;
    const made = new Map<string, number>();
    this.#stood.set(process, made);
    const [oldest] = this.#stood.keys();
    if (this.#stood.size > REMEMBERED && oldest !== undefined) this.#stood.delete(oldest);
    return made;
  }

  #takes(cache: SkippedCache): boolean {
    if (this.#totals.size < MOST_CACHES || this.#totals.has(keyOf(cache))) return true;
    this.#isFull = true;
    return false;
  }

  #add({ controller, group, resource }: SkippedCache, by: number): void {
    const key = keyOf({ controller, group, resource });
    const total = (this.#totals.get(key)?.total ?? 0) + by;
    this.#totals.set(key, { controller, group, resource, total });
    this.#meter
      .counter(targetStaleSyncSkipsTotal)
      .labels({ target: this.#target, controller, group, resource })
      .inc(by);
  }
}

function keyOf({ controller, group, resource }: SkippedCache): string {
  return [controller, group, resource].join("\u0000");
}
