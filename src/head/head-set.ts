import { defined, type Timer, whenAborted } from "../base/index.ts";
import type { ListerWatcher, Scope } from "../kube/index.ts";
import { type Resource, resourceName, versionToMetric } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { HeadWatch, type HeadWatchOptions } from "./head-watch.ts";
import { headResourceVersion, headTimestampSeconds } from "./metrics.ts";

export interface HeadSetOptions {
  readonly client: ListerWatcher;
  readonly probeIntervalMs: number;
  readonly env: Env;
}

interface Held {
  readonly watch: HeadWatch;
  readonly stop: AbortController;
  holders: number;
  /** While nobody needs it. */
  ending: Timer | undefined;
}

/** A process that restarts needs the same kinds again, and what is known of them is worth more than a watch costs. */
const LINGERS_MS = 600_000;

/** One head watch for each kind and scope, however many caches it judges, and their gauges. */
export class HeadSet {
  readonly #options: HeadSetOptions;
  readonly #held: Map<string, Held> = new Map();
  readonly #runs: Set<Promise<void>> = new Set();
  #signal: AbortSignal | undefined;

  constructor(options: HeadSetOptions) {
    this.#options = options;
  }

  /** Made when first asked for, then with `prompt` and `beginAt` (see `HeadWatchOptions`); started at once when the set runs already. */
  get(resource: Resource, scope: Scope, prompt: boolean, beginAt?: HeadWatchOptions["beginAt"]): HeadWatch {
    const { namespace = "", labelSelector = "", fieldSelector = "" } = scope;
    const key = [resourceName(resource), namespace, labelSelector, fieldSelector].join("\n");
    const known = this.#held.get(key);
    if (known) {
      known.holders += 1;
      known.ending?.cancel();
      return known.watch;
    }
    const watch = new HeadWatch({ ...this.#options, resource, scope, prompt, ...defined({ beginAt }) });
    const held = { watch, stop: new AbortController(), holders: 1, ending: undefined };
    this.#held.set(key, held);
    if (this.#signal) this.#start(held, this.#signal);
    return watch;
  }

  /** One of those who asked for it needs it no more. It ends, with its gauges, once nobody has for ten minutes. */
  release(watch: HeadWatch): void {
    const [key, held] = [...this.#held].find(([, other]) => other.watch === watch) ?? [];
    if (key === undefined || !held) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    held.ending = this.#options.env.clock.setTimer(() => this.#end(key, held), LINGERS_MS, { unref: true });
  }

  /** Those of this kind, whatever their scope. */
  of({ group, resource }: Pick<Resource, "group" | "resource">): readonly HeadWatch[] {
    return this.#watches().filter((watch) => watch.resource.group === group && watch.resource.resource === resource);
  }

  /** Runs all of them, also those that are asked for later. Resolves after the abort, when all have stopped. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    this.#signal = signal;
    const stop = this.#options.env.meter.onCollect(() => this.#publish());
    for (const held of this.#held.values()) this.#start(held, signal);
    await whenAborted(signal);
    for (const { ending } of this.#held.values()) ending?.cancel();
    await Promise.all(this.#runs);
    stop();
  }

  #watches(): readonly HeadWatch[] {
    return [...this.#held.values()].map(({ watch }) => watch);
  }

  #start({ watch, stop }: Held, signal: AbortSignal): void {
    const run = watch.run({ signal: AbortSignal.any([signal, stop.signal]) }).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  #end(key: string, { watch: { resource }, stop }: Held): void {
    stop.abort();
    this.#held.delete(key);
    if (this.#watches().some((watch) => resourceName(watch.resource) === resourceName(resource))) return;
    for (const gauge of [headResourceVersion, headTimestampSeconds]) {
      this.#options.env.meter.gauge(gauge).remove(labelsOf(resource));
    }
  }

  /** Of several scopes of one kind, the one that heard last speaks for it. */
  #publish(): void {
    const { clock, meter } = this.#options.env;
    const wallOffset = clock.now() - clock.monotonic();
    const watches = this.#watches().toSorted(
      (a, b) => (a.table.lastEvent?.arrivedAt ?? 0) - (b.table.lastEvent?.arrivedAt ?? 0),
    );
    for (const { resource, table } of watches) {
      if (!table.lastEvent) continue;
      const labels = labelsOf(resource);
      meter.gauge(headResourceVersion).labels(labels).set(versionToMetric(table.lastEvent.version));
      meter
        .gauge(headTimestampSeconds)
        .labels(labels)
        .set((table.lastEvent.arrivedAt + wallOffset) / 1_000);
    }
  }
}

function labelsOf({ group, version, resource }: Resource): Record<"group" | "version" | "resource", string> {
  return { group, version, resource };
}
