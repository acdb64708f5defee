import { type Clock, type Random, seededRandom, systemClock, type Transport } from "../base/index.ts";
import { AccessRules, type Denial } from "./api/access.ts";
import type { Backend } from "./api/backend.ts";
import type { ServerRequest, ServerResponse } from "./api/exchange.ts";
import { handleRequest } from "./api/request-handler.ts";
import { ClusterObjects } from "./cluster-objects.ts";
import { connectionRefused, connectionReset } from "./transport/connection-errors.ts";
import { FaultControl } from "./faults/fault-control.ts";
import { HttpListener } from "./transport/http-listener.ts";
import { InProcessTransport } from "./transport/in-process-transport.ts";
import { KindFaults } from "./faults/kind-faults.ts";
import { kubeconfigFor } from "./transport/kubeconfig.ts";
import { Replica } from "./watching/replica.ts";
import { RequestFaults } from "./faults/request-faults.ts";
import { builtInKinds } from "./rules/built-in-kinds.ts";
import { GarbageCollector } from "./storage/garbage-collector.ts";
import { KindRegistry, type KindRef, type Registration } from "./storage/kind-registry.ts";
import { NamespaceCleaner } from "./storage/namespace-cleaner.ts";
import { ObjectDeleter } from "./storage/object-deleter.ts";
import { ObjectWriter } from "./storage/object-writer.ts";
import { Store } from "./storage/store.ts";
import type { ChangeType } from "./storage/stored-object.ts";
import { settleInRealTime } from "./settle.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { WatchHub } from "./watching/watch-hub.ts";
import { WatchStream } from "./watching/watch-stream.ts";

export interface ClusterOptions {
  /** A VirtualClock of its own unless given; with `http`, the system's. */
  clock?: Clock;
  /** Uids, generated names, timeouts; seeded unless given, so that runs repeat. */
  random?: Random;
  /** Listen on a loopback port too. */
  http?: boolean | { port?: number };
  /** How many API servers share the store; 1 unless given. */
  replicas?: number;
  /** Changes kept to watch from, to read old versions and to roll back to; 10 000 unless given. */
  historySize?: number;
  /** The version before the first write; above 2^53 it shows who converts versions to numbers. 0 unless given. */
  baseVersion?: bigint;
  /** Collect dependents without owners and empty namespaces that are deleted; true unless given. */
  garbageCollector?: boolean;
  /** How often an idle kind learns that nothing happened (etcd's progress notices); 5 s unless given. */
  progressNotifyMs?: number;
  /** Bearer tokens and the users they stand for. Requests without a token are `system:admin`. */
  users?: Readonly<Record<string, string>>;
}

/** One write, for tests that compare what was seen with what happened. */
export interface Commit {
  readonly version: string;
  readonly type: ChangeType;
  readonly key: string;
  /** Wall time of the cluster's clock, milliseconds. */
  readonly at: number;
}

/**
 * A Kubernetes API server inside the process: real HTTP semantics and byte streams, over a loopback port or without sockets, on a
 * real or a virtual clock, with faults on demand. The contract suite holds it to what kube-apiserver 1.37 does.
 *
 * Not there: authentication beyond a table of tokens, admission webhooks, server-side apply, field validation beyond a few rules,
 * scheduler and controllers (see `simulateJobs`), aggregated discovery and OpenAPI.
 */
export class EmbeddedCluster implements AsyncDisposable {
  readonly clock: Clock;
  readonly objects: ClusterObjects;
  readonly faults: FaultControl;
  /** The API servers; `lagMs` of each can be changed at any time. */
  readonly replicas: readonly Replica[];
  readonly #backend: Backend;
  readonly #hub: WatchHub = new WatchHub();
  readonly #transports: Set<Transport> = new Set();
  readonly #stopProbe: () => void;
  #listener: HttpListener | undefined;
  #activity = 0;
  #busyReaders = 0;
  #openRequests = 0;

  private constructor(options: ClusterOptions) {
    this.clock = options.clock ?? (options.http ? systemClock : new VirtualClock());
    const { clock } = this;
    const random = options.random ?? seededRandom(1);
    const store = new Store({
      clock,
      historySize: options.historySize ?? 10_000,
      baseVersion: options.baseVersion ?? 0n,
    });
    const kinds = new KindRegistry(builtInKinds);
    const kindFaults = new KindFaults();
    const progressNotifyMs = options.progressNotifyMs ?? 5_000;
    this.replicas = Array.from({ length: options.replicas ?? 1 }, () => new Replica(store, clock, progressNotifyMs));
    const requestFaults = new RequestFaults(clock, (replica) => this.replicas.indexOf(replica));
    const writer = new ObjectWriter(store, { clock, random });
    const deleter = new ObjectDeleter(store, clock);
    this.faults = new FaultControl({ store, kinds, hub: this.#hub, kindFaults, requestFaults });
    this.objects = new ClusterObjects({ store, kinds, writer, deleter });
    this.#backend = {
      clock,
      random,
      store,
      kinds,
      writer,
      deleter,
      access: new AccessRules(),
      faults: requestFaults,
      users: new Map(Object.entries(options.users ?? {})),
      noteActivity: () => this.#noteActivity(),
      openWatch: (setup) => {
        const onClose = (closed: WatchStream): void => this.#hub.delete(closed);
        const stream = new WatchStream(setup, { clock, store, faults: kindFaults, onClose });
        this.#hub.add(stream);
        return stream;
      },
    };
    const controllers = { clock, store, kinds, writer, deleter };
    if (options.garbageCollector ?? true) {
      void new GarbageCollector(controllers);
      void new NamespaceCleaner(controllers);
    }
    store.onChange((change) => {
      if (kindFaults.takeDrop(change.kind)) change.lost = true;
      this.#hub.dispatch(change);
      this.#noteActivity();
    });
    this.#stopProbe = clock instanceof VirtualClock ? clock.addBusyProbe(() => this.#busyReaders > 0) : () => {};
    this.#createNamespaces();
  }

  static async start(options: ClusterOptions = {}): Promise<EmbeddedCluster> {
    const cluster = new EmbeddedCluster(options);
    if (options.http) {
      const port = typeof options.http === "object" ? (options.http.port ?? 0) : 0;
      cluster.#listener = await HttpListener.start(port, (request) => cluster.#handle(request), cluster.replicas);
    }
    return cluster;
  }

  /** `http://127.0.0.1:PORT`; undefined without `http`. With several replicas, the first one's. */
  get url(): string | undefined {
    return this.#listener?.url;
  }

  /** A kubeconfig (YAML) for `url`. */
  kubeconfig(): string {
    if (!this.url) throw new TypeError("the embedded cluster listens on no port: start it with { http: true }");
    return kubeconfigFor(this.url);
  }

  /** Calls without sockets. A function for `replica` is asked at each call, so that a client can be moved to another server. */
  transport(options: { replica?: number | (() => number) } = {}): Transport {
    const { replica = 0 } = options;
    const transport = new InProcessTransport({
      clock: this.clock,
      handle: (request) => this.#handle(request),
      replica: () => this.replicas[typeof replica === "number" ? replica : replica()] as Replica,
      noteActivity: () => this.#noteActivity(),
      countBusy: (by) => {
        this.#busyReaders += by;
      },
    });
    this.#transports.add(transport);
    return transport;
  }

  /** Serves a custom kind from now on. */
  register(registration: Registration): void {
    this.#backend.kinds.register(registration);
  }

  /** Answers 403 to what fits, and "no" to access reviews about it. Returns how to allow it again. */
  forbid(denial: Denial): () => void {
    return this.#backend.access.forbid(denial);
  }

  /** The version of the last write of any kind. */
  currentVersion(): string {
    const { store } = this.#backend;
    return store.scale.text(store.revision);
  }

  /** Forgets the history, as etcd's compaction does: watches and pages from old versions get 410. */
  compact(): void {
    const { store } = this.#backend;
    store.compact(store.revision);
  }

  /** The writes of a kind that are still in the history, oldest first. */
  commits(resource: KindRef): readonly Commit[] {
    const { store, kinds } = this.#backend;
    const kind = kinds.require(resource);
    const commits: Commit[] = [];
    for (const change of store.changesSince(store.compacted)) {
      if (change.kind !== kind) continue;
      const { type, key, at } = change;
      commits.push({ version: store.scale.text(change.revision), type, key, at });
    }
    return commits;
  }

  /** How many watches of a kind (or of all) are open. */
  openWatches(resource?: KindRef): number {
    return this.#hub.of(resource && this.#backend.kinds.require(resource)).length;
  }

  /**
   * Waits until no byte, request, due timer or promise chain is outstanding; then, if asked, lets `advance` milliseconds pass,
   * settling at each timer on the way. With a virtual clock time passes nowhere else. With the system's clock it waits for quiet.
   */
  settle(options: { advance?: number } = {}): Promise<void> {
    const { advance = 0 } = options;
    if (this.clock instanceof VirtualClock) return this.clock.advance(advance);
    return settleInRealTime(
      () => this.#activity,
      () => this.#busyReaders === 0 && this.#openRequests === 0,
      advance,
    );
  }

  /** Closes every stream and connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#hub.of()) stream.breakOff();
    await Promise.all([...this.#transports].map((transport) => transport.close()));
    await this.#listener?.close();
    this.#stopProbe();
  }

  async #handle(request: ServerRequest): Promise<ServerResponse> {
    if (this.faults.isUnreachable) throw connectionRefused();
    this.#openRequests += 1;
    try {
      const response = await handleRequest(this.#backend, request);
      if (this.faults.isUnreachable) throw connectionReset();
      return response;
    } finally {
      this.#openRequests -= 1;
      this.#noteActivity();
    }
  }

  #noteActivity(): void {
    this.#activity += 1;
    if (this.clock instanceof VirtualClock) this.clock.noteActivity();
  }

  #createNamespaces(): void {
    const namespaces = { group: "", resource: "namespaces" };
    for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
      this.objects.create(namespaces, { metadata: { name } });
    }
  }
}
