import { defined, whenAborted } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import type { ControllerStatus, Manager } from "../controller/index.ts";
import { LeaderElector } from "../election/index.ts";
import { catalog, PrometheusMeter, startTracing } from "../exposition/index.ts";
import { healthApp, metricsApp, statusApp } from "../http/index.ts";
import { EvidenceReader, Findings, type OwnerKinds } from "../jobs/index.ts";
import { KubeClient } from "../kube/index.ts";
import { STALLED_AFTER_MS } from "../lag/index.ts";
import { type DeepReadonly, type Job, resourceName, resources } from "../resources/index.ts";
import { type Env, resolveEnv } from "../telemetry/index.ts";
import { healthChecks } from "./health.ts";
import { Heartbeats, type HeartbeatsOptions } from "./heartbeats.ts";
import { controllersManager, informersOf, isOfKind, type JobsManager, jobsManagers } from "./jobs-managers.ts";
import { type JobsSources, jobsView } from "./jobs-view.ts";
import { LagWatch } from "./lag-watch.ts";
import { Listeners, type SidecarUrls } from "./listeners.ts";
import type { SidecarOptions } from "./sidecar-options.ts";
import { intervalsSource, queueSource } from "./views.ts";
import { WatchedKinds } from "./watched-kinds.ts";

interface Part {
  /** Until the signal aborts. */
  run(options: { signal: AbortSignal }): Promise<void>;
}

/** Readiness waits this long for the first lists. */
const FIRST_LISTS_MS = 120_000;
const FLUSH_DEADLINE_MS = 5_000;

/**
 * The whole of `stalewatch run` in one object: caches of Jobs, their pods and further kinds, a pass over each Job, and what is served
 * of them. Only reads the cluster, but for the lease of an election, heartbeats, and controllers that were given to it.
 *
 * Promises: serves before the API server is reachable and while it is away; at the end, passes drain first, then the listeners
 * close, then spans are flushed. Never exits the process.
 */
export class Sidecar {
  readonly #options: SidecarOptions;
  readonly #listening: PromiseWithResolvers<SidecarUrls> = Promise.withResolvers<SidecarUrls>();
  readonly #meter: PrometheusMeter;
  #judging: readonly JobsManager[] = [];
  #managers: readonly Manager[] = [];
  #watched: WatchedKinds | undefined;
  #lag: LagWatch | undefined;
  #findings: Findings | undefined;
  #evidence: EvidenceReader | undefined;
  #heartbeats: Heartbeats | undefined;

  constructor(options: SidecarOptions) {
    this.#options = options;
    const { env = {}, maxSeries, version } = options;
    this.#meter = new PrometheusMeter({
      catalog,
      version,
      ...env,
      ...defined({ maxSeries }),
    });
    this.#listening.promise.catch(() => {}); // told by `run`
  }

  /** Where it serves, once it does. Rejects when it cannot. */
  whenListening(): Promise<SidecarUrls> {
    return this.#listening.promise;
  }

  /**
   * Runs until the signal aborts, then resolves once everything has ended.
   * Errors: `BAD_FEATURE_GATE`, `BAD_ELECTION_PERIODS`, `TRACING_START`, those of the listeners, `LEADERSHIP_LOST`, and faults of the
   * runtime; nothing else of the cluster's state.
   */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { version, traceNoop = false, env: given = {} } = this.#options;
    const tracing = await startTracing({ version, keepNoop: traceNoop, ...given });
    const env = resolveEnv({ ...given, meter: this.#meter, tracer: tracing.tracer });
    try {
      await this.#serve(env, signal);
    } catch (error) {
      this.#listening.reject(error);
      throw error;
    } finally {
      await tracing.stop(FLUSH_DEADLINE_MS);
    }
  }

  async #serve(env: Env, signal: AbortSignal): Promise<void> {
    const { cluster, namespaces = [], watch = [], listen, metricsSecure = true, limits, qps, burst } = this.#options;
    const client = new KubeClient({
      transport: cluster.transport,
      env,
      userAgent: `stalewatch/${this.#options.version}`,
      ...defined({ qps, burst }),
    });
    this.#findings = new Findings(env, limits);
    const onPass = (job: DeepReadonly<Job>): void => this.#heartbeats?.passed(job);
    const evidence = new EvidenceReader({ client, env });
    this.#evidence = evidence;
    const own = { client, findings: this.#findings, evidence, onPass, env };
    this.#judging = jobsManagers(this.#options, own);
    const beside = controllersManager(this.#options, own);
    this.#managers = [...this.#judging.map(({ manager }) => manager), ...(beside ? [beside] : [])];
    const watched = new WatchedKinds({ ...this.#options, client, kinds: watch, namespaces, env });
    this.#watched = watched;
    const lag = new LagWatch({
      ...this.#options,
      client,
      informers: () => this.#informers(),
      // What runs beside has caches of its own, of the same objects; so may have whoever judges a kind of --watch.
      measured: () => [...this.#judged().filter(({ resource }) => !watched.measures(resource)), ...watched.informers()],
      since: env.clock.now(),
      stalledAfterMs: (kind) => this.#heartbeats?.stalledAfterMs(kind) ?? STALLED_AFTER_MS,
      env,
    });
    this.#lag = lag;
    const elector = this.#elector(env);
    this.#heartbeats = this.#heartbeatsOf({
      client,
      heads: lag.heads,
      informers: () => this.#informers(),
      elector,
      env,
    });
    const parts = [...this.#managers, ...this.#owners(), evidence, watched, ...lag.parts, ...this.#writers(elector)];
    const listeners = await Listeners.open(listen, this.#apps(env, signal), { metricsSecure, env });
    try {
      this.#listening.resolve(listeners.urls);
      env.log.info("watching", { server: cluster.server, namespaces: namespaces.length > 0 ? namespaces : "all" });
      await this.#work(parts, signal);
    } finally {
      await listeners.close();
    }
  }

  /** One that fails ends the others. */
  async #work(parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const running = parts.map(async (part) => {
      try {
        await part.run({ signal: stop });
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(running);
    await Promise.all(running);
  }

  #elector(env: Env): LeaderElector | undefined {
    const { cluster, leaderElection, version } = this.#options;
    if (!leaderElection) return undefined;
    const userAgent = `stalewatch/${version}`;
    const client = new KubeClient({ transport: cluster.transport, env, userAgent, pool: "election" });
    return new LeaderElector({ client, ...leaderElection, env });
  }

  #heartbeatsOf(
    parts: Pick<HeartbeatsOptions, "client" | "heads" | "informers" | "elector" | "env">,
  ): Heartbeats | undefined {
    const { heartbeat, namespaces = [], watch = [] } = this.#options;
    return heartbeat && new Heartbeats({ ...parts, ...heartbeat, namespaces, watch });
  }

  /** Whatever writes to the cluster; with an election, only while this process leads. */
  #writers(elector: LeaderElector | undefined): readonly Part[] {
    const heartbeats = this.#heartbeats;
    if (!elector) return heartbeats ? [heartbeats] : [];
    const lead = (signal: AbortSignal): Promise<void> => heartbeats?.run({ signal }) ?? whenAborted(signal);
    return [{ run: ({ signal }) => elector.run({ signal, lead }) }];
  }

  #apps(env: Env, signal: AbortSignal) {
    const { clock } = env;
    const startedAt = clock.monotonic();
    const kinds = [resources.jobs, resources.pods, ...(this.#options.watch ?? [])].map(resourceName);
    const checks = healthChecks({
      kinds: [...new Set(kinds)],
      caches: (kind) =>
        this.#informers(kind).map((informer) => ({ ...informer.status(), lag: this.#lag?.lagOf(informer) })),
      problems: () => this.#watched?.problems() ?? new Map(),
      strict: this.#options.strictReadiness ?? false,
      waitedLongEnough: () => clock.monotonic() - startedAt >= FIRST_LISTS_MS,
      heartbeats: this.#heartbeats?.checks() ?? [],
      stopping: () => signal.aborted,
    });
    const heartbeats = this.#heartbeats;
    return {
      metrics: metricsApp(this.#meter, env),
      health: healthApp(checks, env),
      status: statusApp(
        {
          caches: () => this.#lag?.caches() ?? [],
          delays: () => this.#lag?.delays() ?? [],
          targets: () => this.#lag?.targets() ?? [],
          queues: () => this.#controllers().map(queueSource),
          ...(heartbeats ? { heartbeats: () => heartbeats.views() } : {}),
          intervals: () => this.#controllers().map(intervalsSource),
          jobs: ({ all }) => jobsView(this.#jobsSources(), clock.now(), all),
        },
        env,
      ),
    };
  }

  #informers(kind?: string): readonly Informer[] {
    const watched = [...(this.#watched?.informers() ?? [])].filter((informer) => isOfKind(informer, kind));
    return [...this.#managers.flatMap((manager) => informersOf(manager, kind)), ...watched];
  }

  #jobsSources(): JobsSources {
    return {
      findings: this.#findings,
      evidence: this.#evidence,
      owners: this.#owners(),
      informers: this.#judged(),
    };
  }

  /** The caches that judges look into. */
  #judged(): readonly Informer[] {
    return this.#judging.flatMap(({ manager }) => informersOf(manager));
  }

  #owners(): readonly OwnerKinds[] {
    return this.#judging.flatMap(({ owners }) => owners ?? []);
  }

  #controllers(): readonly ControllerStatus[] {
    return this.#managers.flatMap((manager) => manager.status().controllers);
  }
}
