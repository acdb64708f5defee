import { defined, whenAborted } from "../base/index.ts";
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

/** One head watch for each kind and scope, however many caches it judges, and their gauges. */
export class HeadSet {
  readonly #options: HeadSetOptions;
  readonly #watches: Map<string, HeadWatch> = new Map();
  readonly #runs: Promise<void>[] = [];
  #signal: AbortSignal | undefined;

  constructor(options: HeadSetOptions) {
    this.#options = options;
  }

  /** Made when first asked for, then with `prompt` and `beginAt` (see `HeadWatchOptions`); started at once when the set runs already. */
  get(resource: Resource, scope: Scope, prompt: boolean, beginAt?: HeadWatchOptions["beginAt"]): HeadWatch {
    const { namespace = "", labelSelector = "", fieldSelector = "" } = scope;
    const key = [resourceName(resource), namespace, labelSelector, fieldSelector].join("\n");
    const known = this.#watches.get(key);
    if (known) return known;
    const watch = new HeadWatch({ ...this.#options, resource, scope, prompt, ...defined({ beginAt }) });
    this.#watches.set(key, watch);
    if (this.#signal) this.#start(watch, this.#signal);
    return watch;
  }

  /** Those of this kind, whatever their scope. */
  of({ group, resource }: Pick<Resource, "group" | "resource">): readonly HeadWatch[] {
    return [...this.#watches.values()].filter(
      (watch) => watch.resource.group === group && watch.resource.resource === resource,
    );
  }

  /** Runs all of them, also those that are asked for later. Resolves after the abort, when all have stopped. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    this.#signal = signal;
    const stop = this.#options.env.meter.onCollect(() => this.#publish());
    for (const watch of this.#watches.values()) this.#start(watch, signal);
    await whenAborted(signal);
    await Promise.all(this.#runs);
    stop();
  }

  #start(watch: HeadWatch, signal: AbortSignal): void {
    this.#runs.push(watch.run({ signal }));
  }

  /** Of several scopes of one kind, the one that heard last speaks for it. */
  #publish(): void {
    const { clock, meter } = this.#options.env;
    const wallOffset = clock.now() - clock.monotonic();
    const watches = [...this.#watches.values()].sort(
      (a, b) => (a.table.lastEvent?.arrivedAt ?? 0) - (b.table.lastEvent?.arrivedAt ?? 0),
    );
    for (const { resource, table } of watches) {
      if (!table.lastEvent) continue;
      const labels = { group: resource.group, version: resource.version, resource: resource.resource };
      meter.gauge(headResourceVersion).labels(labels).set(versionToMetric(table.lastEvent.version));
      meter
        .gauge(headTimestampSeconds)
        .labels(labels)
        .set((table.lastEvent.arrivedAt + wallOffset) / 1_000);
    }
  }
}
