import { defined } from "../base/index.ts";
import { type Informer, InformerSet } from "../cache/index.ts";
import type { CachesAnswer } from "../http/index.ts";
import { jobsIn, podsOfJobsIn } from "../jobs/index.ts";
import { KubeClient } from "../kube/index.ts";
import { resources } from "../resources/index.ts";
import { type Env, resolveEnv } from "../telemetry/index.ts";
import { cacheName } from "./cache-name.ts";
import { LagWatch } from "./lag-watch.ts";
import type { SidecarOptions } from "./sidecar-options.ts";
import { WatchedKinds } from "./watched-kinds.ts";

export type LagLookOptions = Pick<
  SidecarOptions,
  | "cluster"
  | "namespaces"
  | "watch"
  | "probeIntervalMs"
  | "lagBudgetMs"
  | "targets"
  | "targetIntervalMs"
  | "qps"
  | "burst"
  | "version"
  | "env"
>;

/** Of objects that are older nobody asks how long they took. */
const RECENT_MS = 3_600_000;

/** A look at how stale caches are, without a sidecar: caches as a sidecar has them and what judges them, but no passes and no listeners. */
export class LagLook {
  readonly #options: LagLookOptions;
  readonly #env: Env;
  readonly #client: KubeClient;
  readonly #informers: InformerSet;
  readonly #watched: WatchedKinds;
  readonly #lag: LagWatch;

  constructor(options: LagLookOptions) {
    const { cluster, namespaces = [], watch = [], version, qps, burst } = options;
    const env = resolveEnv(options.env);
    const userAgent = `stalewatch/${version}`;
    const client = new KubeClient({ transport: cluster.transport, env, userAgent, ...defined({ qps, burst }) });
    this.#options = options;
    this.#env = env;
    this.#client = client;
    this.#informers = new InformerSet({ client, env });
    this.#watched = new WatchedKinds({ client, kinds: watch, namespaces, env });
    const informers = (): readonly Informer[] => [...this.#informers, ...this.#watched.informers()];
    this.#lag = new LagWatch({
      ...options,
      client,
      informers,
      measured: informers,
      since: env.clock.now() - RECENT_MS,
      env,
    });
  }

  /** Resolves after the abort. Errors: those of the API server, where it does not answer at all. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { namespaces = [] } = this.#options;
    await this.#client.serverVersion(signal);
    for (const namespace of namespaces.length > 0 ? namespaces : [undefined]) {
      const name = cacheName(namespaces, namespace);
      const jobs = jobsIn(namespace);
      const pods = podsOfJobsIn(namespace);
      this.#informers.get(jobs.resource, jobs.scope, name);
      this.#informers.get(pods.resource, pods.scope, name);
      this.#informers.get(resources.cronJobs, jobs.scope, name);
    }
    const parts = [this.#informers, this.#watched, ...this.#lag.parts];
    await Promise.all(parts.map((part) => part.run({ signal })));
  }

  /** What is known by now, as /api/v1/caches tells it. */
  answer(): CachesAnswer {
    const at = new Date(this.#env.clock.now()).toISOString();
    return { at, caches: this.#lag.caches(), delays: this.#lag.delays() };
  }

  /** Why of a kind or a target there are no caches: a line each. */
  problems(): readonly string[] {
    const down = this.#lag.targets().filter(({ up }) => up === false);
    return [
      ...[...this.#watched.problems()].map(([kind, why]) => `${kind}: ${why}`),
      ...down.map(({ name, why, remedy }) => `target ${name}: ${[why, remedy].filter(Boolean).join(": ")}`),
    ];
  }
}
