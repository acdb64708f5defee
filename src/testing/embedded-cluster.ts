import { type Clock, systemClock, type Transport } from "../base/index.ts";
import { Activity } from "./activity.ts";
import type { Denial } from "./api/access.ts";
import type { ServerRequest, ServerResponse } from "./api/exchange.ts";
import { handleRequest } from "./api/request-handler.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import type { FaultControl } from "./faults/fault-control.ts";
import { assembleServer, type ServerParts, type StateOptions } from "./server-parts.ts";
import { settleInRealTime } from "./settle.ts";
import type { KindRef, Registration } from "./storage/kind-registry.ts";
import type { ChangeType } from "./storage/stored-object.ts";
import { connectionRefused, connectionReset } from "./transport/connection-errors.ts";
import { HttpListener } from "./transport/http-listener.ts";
import { InProcessTransport } from "./transport/in-process-transport.ts";
import { kubeconfigFor } from "./transport/kubeconfig.ts";
import { VirtualClock } from "./virtual-clock.ts";
import type { Replica } from "./watching/replica.ts";

export interface ClusterOptions extends StateOptions {
  /** A VirtualClock of its own unless given; with `http`, the system's. */
  clock?: Clock;
  /** Listen on loopback too: on a free port for each replica, or on `port` and those after it. */
  http?: boolean | { port?: number };
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
 * scheduler and controllers (see `simulateJobs`), aggregated discovery, OpenAPI schemas.
 */
export class EmbeddedCluster implements AsyncDisposable {
  readonly clock: Clock;
  readonly #parts: ServerParts;
  readonly #activity: Activity;
  readonly #transports: Set<Transport> = new Set();
  readonly #listeners: HttpListener[] = [];
  readonly #stopProbe: (() => void) | undefined;

  private constructor(options: ClusterOptions) {
    const clock = options.clock ?? (options.http ? systemClock : new VirtualClock());
    const activity = new Activity(clock);
    this.clock = clock;
    this.#activity = activity;
    this.#parts = assembleServer(clock, activity, options);
    if (clock instanceof VirtualClock) this.#stopProbe = clock.addBusyProbe(() => activity.hasBusyReaders);
    for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
      this.objects.create(NAMESPACES, { metadata: { name } });
    }
  }

  /** Errors: rejects when a port is taken. */
  static async start(options: ClusterOptions = {}): Promise<EmbeddedCluster> {
    const cluster = new EmbeddedCluster(options);
    const { http } = options;
    if (!http) return cluster;
    const firstPort = typeof http === "object" ? (http.port ?? 0) : 0;
    for (const [index, replica] of cluster.replicas.entries()) {
      const port = firstPort === 0 ? 0 : firstPort + index;
      const listener = await HttpListener.start(port, (request) => cluster.#handle({ ...request, replica }));
      cluster.#listeners.push(listener);
    }
    return cluster;
  }

  /** The content, directly. */
  get objects(): ClusterObjects {
    return this.#parts.objects;
  }

  get faults(): FaultControl {
    return this.#parts.faults;
  }

  /** The API servers; `lagMs` of each can be changed at any time. */
  get replicas(): readonly Replica[] {
    return this.#parts.replicas;
  }

  /** `http://127.0.0.1:PORT` of the first API server; undefined without `http`. */
  get url(): string | undefined {
    return this.#listeners[0]?.url;
  }

  /** A kubeconfig (YAML) for one of the API servers. */
  kubeconfig(replica = 0): string {
    const listener = this.#listeners[replica];
    if (!listener) throw new TypeError("the embedded cluster listens on no such port: start it with { http: true }");
    return kubeconfigFor(listener.url);
  }

  /** Calls without sockets. A function for `replica` is asked at each call, so that a client can be moved to another server. */
  transport(options: { replica?: number | (() => number) } = {}): Transport {
    const { replica = 0 } = options;
    const transport = new InProcessTransport({
      clock: this.clock,
      activity: this.#activity,
      handle: (request) => this.#handle(request),
      replica: () => this.replicas[typeof replica === "number" ? replica : replica()] as Replica,
    });
    this.#transports.add(transport);
    return transport;
  }

  /** Serves a custom kind from now on. */
  register(registration: Registration): void {
    this.#parts.backend.kinds.register(registration);
  }

  /** Answers 403 to what fits, and "no" to access reviews about it. Returns how to allow it again. */
  forbid(denial: Denial): () => void {
    return this.#parts.backend.access.forbid(denial);
  }

  /** The version of the last write of any kind. */
  currentVersion(): string {
    const { store } = this.#parts.backend;
    return store.scale.text(store.revision);
  }

  /** Forgets the history, as etcd's compaction does: watches and pages from old versions get 410. */
  compact(): void {
    const { store } = this.#parts.backend;
    store.compact(store.revision);
  }

  /** The writes of a kind that are still in the history, oldest first. */
  commits(resource: KindRef): readonly Commit[] {
    const { store, kinds } = this.#parts.backend;
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
    const { hub, backend } = this.#parts;
    return hub.of(resource && backend.kinds.require(resource)).length;
  }

  /**
   * Waits until no byte, request, due timer or promise chain is outstanding; then, if asked, lets `advance` milliseconds pass,
   * settling at each timer on the way. With a virtual clock time passes nowhere else. With the system's clock it waits for quiet.
   */
  settle(options: { advance?: number } = {}): Promise<void> {
    const { advance = 0 } = options;
    return this.clock instanceof VirtualClock ? this.clock.advance(advance) : settleInRealTime(this.#activity, advance);
  }

  /** Closes every stream and connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#parts.hub.of()) stream.breakOff();
    await Promise.all([...this.#transports, ...this.#listeners].map((end) => end.close()));
    this.#stopProbe?.();
  }

  #handle(request: ServerRequest): Promise<ServerResponse> {
    if (this.faults.isUnreachable) return Promise.reject(connectionRefused());
    return this.#activity.duringRequest(async () => {
      const response = await handleRequest(this.#parts.backend, request);
      if (this.faults.isUnreachable) throw connectionReset();
      return response;
    });
  }
}

const NAMESPACES: KindRef = { group: "", resource: "namespaces" };
