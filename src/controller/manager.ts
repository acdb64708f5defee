import { defined, formatDuration, parseDuration, StalewatchError } from "../base/index.ts";
import { type Informer, InformerSet, type InformerStatus } from "../cache/index.ts";
import { type Cluster, KubeClient, type LiveReader, loadCluster, type Writer } from "../kube/index.ts";
import { uniqueIntervals } from "../requeue/index.ts";
import { type Resource, resourceName } from "../resources/index.ts";
import { type Env, resolveEnv } from "../telemetry/index.ts";
import { deadline } from "./deadline.ts";
import { drainControllers } from "./drain-controllers.ts";
import { consistencyGate, parseFeatureGates } from "./feature-gates.ts";
import { GrowingWork } from "./growing-work.ts";
import { Leadership, type LeaderElectionOptions } from "./leadership.ts";
import type { AttachedController, ControllerHost, ControllerStatus, ManagedController } from "./managed-controller.ts";
import { untilAborted } from "./until-aborted.ts";
import { WriteOrigins } from "./write-origins.ts";

export interface ManagerOptions {
  controllers: readonly ManagedController[];
  /** Where to: a client, or a cluster to make one for. Unless either is given, the cluster of the kubeconfig or of the pod. */
  client?: LiveReader & Writer;
  cluster?: Cluster;
  /**
   * Stand for election by this lease, and make passes only while leading: of several processes with the same controllers one acts,
   * the others keep their caches filled. Unless given, passes begin as soon as the caches are filled.
   */
  leaderElection?: LeaderElectionOptions;
  /**
   * How often each cached object of a controller's kind is looked at again, and how often controllers sweep ("10m" or milliseconds,
   * 0 never); "10m" unless given.
   */
  syncPeriod?: string | number;
  /** "StaleControllerConsistencyJob=false,...": for which kinds passes do not wait for their own writes. */
  featureGates?: string;
  /**
   * The `name` label of its caches' metrics; "stalewatch" unless given. Of two managers in one process that cache the same kind, one
   * needs another.
   */
  cacheName?: string;
  /**
   * Each controller begins when its own caches are filled, however long those of the others take: one whose kind may not be read holds up
   * nobody else. There is no limit to how long that may take then. Not together with `leaderElection`.
   */
  independent?: boolean;
  /**
   * For kinds that may not be installed: the cache of a kind starts when this resolves, at once when it gives nothing. Rejects only with
   * the signal's reason.
   */
  startWhen?: (resource: Resource, signal: AbortSignal) => Promise<void> | undefined;
  /** How long the first lists may take; 2 minutes unless given. */
  cacheSyncTimeoutMs?: number;
  /** How long passes under way may go on after the signal before theirs abort; 30 s unless given. */
  shutdownTimeoutMs?: number;
  env?: Partial<Env>;
}

/**
 * "standing": the caches are filled, and somebody else leads. "catching-up": this process leads, and its caches do not show yet what was
 * written before.
 */
export type ManagerState =
  | "idle"
  | "connecting"
  | "syncing"
  | "standing"
  | "catching-up"
  | "running"
  | "draining"
  | "stopped";

/** A manager at one moment, for health checks and the API. */
export interface ManagerStatus {
  readonly state: ManagerState;
  readonly caches: readonly InformerStatus[];
  readonly controllers: readonly ControllerStatus[];
}

const SYNC_PERIOD = "10m";
const CACHE_SYNC_TIMEOUT_MS = 120_000;
const SHUTDOWN_TIMEOUT_MS = 30_000;

/**
 * Runs controllers against one cluster: shared caches first, then passes once every cache is filled, and the reverse at the end.
 *
 * Promises: no pass begins before all caches (those of its controller, with `independent`) are filled; after the signal no new pass begins, those under way may finish, then
 * the caches stop. Never exits the process.
 *
 * With `leaderElection` it stands for election once its caches are filled, so that a leader can act at once. Passes begin when it leads
 * and its caches show what was written before; each write is sent only while the lease is held (`NOT_LEADER` otherwise); the lease is
 * given back after the last pass. A lost lease aborts the signals of passes at once and rejects `run`: the process should end then.
 */
export class Manager implements AsyncDisposable {
  readonly #options: ManagerOptions;
  readonly #env: Env;
  readonly #resyncPeriodMs: number;
  readonly #gates: ReadonlyMap<string, boolean>;
  readonly #disposed: AbortController = new AbortController();
  readonly #controllers: ManagedController[] = [];
  readonly #attached: AttachedController[] = [];
  readonly #works: GrowingWork = new GrowingWork();
  /** Begins with a controller that comes when the others have begun. */
  #later: ((controller: ManagedController) => void) | undefined;
  #informers: InformerSet | undefined;
  #state: ManagerState = "idle";
  #running: Promise<void> | undefined;

  /**
   * Errors: `BAD_MANAGER` for two controllers of one name, a client beside a cluster, `independent` controllers that stand for election, or
   * a sync period that is negative;
   * `BAD_INTERVAL` when one interval name stands for two durations; `BAD_FEATURE_GATE`; `BAD_DURATION`.
   */
  constructor(options: ManagerOptions) {
    const { controllers, client, cluster, syncPeriod = SYNC_PERIOD, featureGates = "" } = options;
    this.#options = options;
    this.#env = resolveEnv(options.env);
    for (const controller of controllers) this.#take(controller);
    if (client && cluster) {
      throw new StalewatchError("BAD_MANAGER", "a manager was given a client and a cluster", "give one of them");
    }
    if (options.independent && options.leaderElection) {
      throw new StalewatchError(
        "BAD_MANAGER",
        "independent controllers cannot stand for election together",
        "give each a manager of its own",
      );
    }
    this.#resyncPeriodMs = typeof syncPeriod === "number" ? syncPeriod : parseDuration(syncPeriod);
    if (!(this.#resyncPeriodMs >= 0)) {
      throw new StalewatchError("BAD_MANAGER", `the sync period is ${syncPeriod}`, 'give "10m", or 0 for none');
    }
    const gates = new Set(controllers.map(({ resource }) => consistencyGate(resource.kind)));
    this.#gates = parseFeatureGates(featureGates, [...gates]);
  }

  /**
   * Runs until the signal aborts, then resolves once everything has ended.
   * Errors: `CACHE_SYNC_TIMEOUT` names the caches that were not filled in time, and why; `DRAIN_TIMEOUT` the passes that did not
   * end although their signal had aborted; `LEADERSHIP_LOST`; `BAD_ELECTION_PERIODS`; those of `loadCluster`; `BAD_MANAGER` when run
   * a second time.
   */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    if (this.#running) throw new StalewatchError("BAD_MANAGER", "a manager was run twice", "make another one");
    this.#running = this.#run(AbortSignal.any([signal, this.#disposed.signal]));
    await this.#running;
  }

  /**
   * One more controller for a manager of `independent` ones, such as for a kind that is found while it runs. It begins like the others,
   * with the caches that are there and those that it alone asks for. Errors: `BAD_MANAGER` when the others are not independent, one has
   * its name, or the manager is to stop; `BAD_INTERVAL`.
   */
  add(controller: ManagedController): void {
    const ends = this.#state === "draining" || this.#state === "stopped";
    if (ends || this.#options.independent !== true) {
      const why = ends ? "a manager that stops" : "a manager whose controllers are not independent";
      throw new StalewatchError("BAD_MANAGER", `${why} takes no more controllers`, "make another manager");
    }
    this.#take(controller);
    this.#later?.(controller);
  }

  /** Its caches, once it has any: for whoever judges them from outside. */
  informers(): Iterable<Informer> {
    return this.#informers ?? [];
  }

  status(): ManagerStatus {
    return {
      state: this.#state,
      caches: [...(this.#informers ?? [])].map((informer) => informer.status()),
      controllers: this.#attached.map((controller) => controller.status()),
    };
  }

  /** Stops as the signal of `run` would, and waits until everything has ended. Failures are told by `run`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort();
    await Promise.allSettled([this.#running]);
  }

  #take(controller: ManagedController): void {
    const { name } = controller;
    if (this.#controllers.some((other) => other.name === name)) {
      throw new StalewatchError("BAD_MANAGER", `two controllers are named ${name}`, "give one of them another name");
    }
    uniqueIntervals([...this.#controllers, controller].flatMap(({ intervals }) => intervals));
    this.#controllers.push(controller);
  }

  async #run(stop: AbortSignal): Promise<void> {
    try {
      this.#state = "connecting";
      const { client, cluster } = this.#options;
      if (client) return await this.#runWith(client, client, stop);
      if (cluster) return await this.#runIn(cluster, stop);
      const own = await loadCluster({ env: this.#env });
      try {
        await this.#runIn(own, stop);
      } finally {
        await own.close();
      }
    } finally {
      this.#state = "stopped";
    }
  }

  #runIn({ transport }: Cluster, stop: AbortSignal): Promise<void> {
    const env = this.#env;
    const client = new KubeClient({ transport, env });
    return this.#runWith(client, new KubeClient({ transport, env, pool: "election" }), stop);
  }

  async #runWith(client: LiveReader & Writer, electionClient: LiveReader & Writer, stop: AbortSignal): Promise<void> {
    this.#state = "syncing";
    const env = this.#env;
    const { leaderElection, cacheName, startWhen } = this.#options;
    const leadership = leaderElection && new Leadership({ client: electionClient, ...leaderElection }, client, env);
    const informers = new InformerSet({
      client,
      resyncPeriodMs: this.#resyncPeriodMs,
      env,
      ...defined({ name: cacheName, startWhen }),
    });
    this.#informers = informers;
    const host: ControllerHost = {
      client: leadership?.client ?? client,
      env,
      sweepPeriodMs: this.#resyncPeriodMs,
      origins: new WriteOrigins(),
      cacheOf: (resource, scope) => informers.get(resource, scope),
      waitsForOwnWrites: (kind) => this.#gates.get(consistencyGate(kind)) ?? true,
    };
    const attach = (controller: ManagedController): AttachedController => {
      const attached = controller.attach(host);
      this.#attached.push(attached);
      return attached;
    };
    for (const controller of this.#controllers) attach(controller);
    this.#later = (controller) => this.#works.add(this.#workOf(attach(controller), stop));
    const stopCaches = new AbortController();
    const caches = informers.run({ signal: stopCaches.signal });
    try {
      const begins = this.#options.independent === true || (await this.#filled(informers, stop));
      if (begins) await this.#act(leadership, stop);
    } finally {
      stopCaches.abort(new DOMException("the manager has stopped", "AbortError"));
      await caches;
    }
  }

  /** False when asked to stop before. */
  async #filled(informers: InformerSet, stop: AbortSignal): Promise<boolean> {
    const limitMs = this.#options.cacheSyncTimeoutMs ?? CACHE_SYNC_TIMEOUT_MS;
    const limit = deadline(this.#env.clock, limitMs);
    try {
      await informers.whenSynced(AbortSignal.any([stop, limit.signal]));
      return !stop.aborted;
    } catch (thrown) {
      if (stop.aborted) return false;
      if (!limit.signal.aborted) throw thrown;
      throw notFilled(informers, limitMs);
    } finally {
      limit.end();
    }
  }

  #act(leadership: Leadership | undefined, stop: AbortSignal): Promise<void> {
    if (!leadership) return this.#work(stop);
    this.#state = "standing";
    return leadership.run(stop, (signal, lost) => this.#lead(signal, lost));
  }

  async #lead(stop: AbortSignal, lost: AbortSignal): Promise<void> {
    this.#state = "catching-up";
    try {
      await Promise.all(this.#attached.map((controller) => controller.catchUp(stop)));
    } catch (thrown) {
      if (stop.aborted) return;
      throw thrown;
    }
    await this.#work(stop, lost);
  }

  async #workOf(controller: AttachedController, stop: AbortSignal): Promise<void> {
    try {
      if (this.#options.independent) await controller.whenFilled(stop);
    } catch (thrown) {
      if (stop.aborted) return; // nothing to drain: it has not begun
      throw thrown;
    }
    await controller.work();
  }

  async #work(stop: AbortSignal, lost?: AbortSignal): Promise<void> {
    this.#state = "running";
    this.#works.add(Promise.all(this.#attached.map((controller) => this.#workOf(controller, stop))));
    try {
      await untilAborted(this.#works.ended, stop);
    } catch (thrown) {
      if (!stop.aborted) throw thrown;
    } finally {
      this.#state = "draining";
      const timeoutMs = this.#options.shutdownTimeoutMs ?? SHUTDOWN_TIMEOUT_MS;
      await drainControllers({ controllers: this.#attached, work: this.#works.ended, timeoutMs, lost, env: this.#env });
    }
  }
}

function notFilled(informers: InformerSet, limitMs: number): StalewatchError {
  const empty = [...informers].map((informer) => informer.status()).filter(({ synced }) => !synced);
  const causes = empty.map(({ resource, lastError }) => `${resourceName(resource)} (${lastError ?? "no answer yet"})`);
  return new StalewatchError(
    "CACHE_SYNC_TIMEOUT",
    `not filled within ${formatDuration(limitMs)}: the cache of ${causes.join(", ")}`,
  );
}
