import type { HandlerRegistration, InformerHandler, Lister, RelistRequest, VersionedStore } from "../cache/index.ts";
import type { LiveReader, Scope, Writer } from "../kube/index.ts";
import type { Interval, IntervalAccount } from "../requeue/index.ts";
import type { KubeObject, Resource } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { QueueStatus, WaitingEntry } from "../workqueue/index.ts";
import type { FallbackTrigger } from "./fallback-pass.ts";
import type { PassOutcome } from "./metrics.ts";
import type { WriteOrigins } from "./write-origins.ts";

/** The part of an informer that a controller uses. */
export interface SharedCache<T extends KubeObject = KubeObject> extends VersionedStore {
  readonly lister: Lister<T>;
  /** Resolves when the first list is in the store. Rejects with the signal's reason, or when the cache stops before. */
  whenSynced(signal: AbortSignal): Promise<void>;
  addHandler(handler: InformerHandler<T>): HandlerRegistration;
  /** Calls `listener` when the server's history went back. Returns how to stop it. */
  onRewind(listener: () => void): () => void;
  /** The version of a consistent read sent now: whatever was written before has it or a lower one. */
  readVersion(signal: AbortSignal): Promise<string>;
  /** Resolves once `condition` holds, looked at after each batch of changes, and when the history went back. */
  when(condition: () => boolean, signal: AbortSignal): Promise<void>;
  /** Asks for a fresh list. */
  relist(reason: RelistRequest): void;
  /** True while a list is in the store whose differences handlers have not all been told yet. */
  isTelling(): boolean;
}

/** What a manager gives the controllers that it runs. */
export interface ControllerHost {
  readonly client: LiveReader & Writer;
  /** The one cache of this kind and scope, shared by whoever asks. It is filled once all controllers have asked. */
  cacheOf<T extends KubeObject>(resource: Resource<T>, scope: Scope): SharedCache<T>;
  /** Whether controllers of this kind wait for their own writes. */
  waitsForOwnWrites(kind: string): boolean;
  /** How often controllers sweep, milliseconds; 0 is never. */
  readonly sweepPeriodMs: number;
  readonly origins: WriteOrigins;
  readonly env: Env;
}

/** What a manager needs of a controller, whatever its kind. */
export interface ManagedController {
  readonly name: string;
  /** The kind that its passes are about. */
  readonly resource: Resource;
  readonly intervals: readonly Interval[];
  /** Asks for its caches and listens to them. Called once by the manager. */
  attach(host: ControllerHost): AttachedController;
}

/** A controller in a manager, from its first event to its last pass. */
export interface AttachedController {
  /** Resolves when the first lists are in the controller's own caches. Rejects with the signal's reason, or when one stops before. */
  whenFilled(signal: AbortSignal): Promise<unknown>;
  /**
   * For a manager that has become the leader, before `work`: resolves once the controller's caches show everything that was written
   * before the call. Rejects with the signal's reason.
   */
  catchUp(signal: AbortSignal): Promise<void>;
  /** Makes passes until `drain`; resolves after the last one. Rejects on a fault of the runtime only. */
  work(): Promise<void>;
  /** Takes no more keys; passes under way go on. */
  drain(): void;
  /** Aborts the signal of passes under way. */
  abort(reason: unknown): void;
  /** Resolves when its Events are written or given up. */
  flush(): Promise<void>;
  status(): ControllerStatus;
}

/** A controller at one moment, as /api/v1/queues tells it. */
export interface ControllerStatus {
  readonly name: string;
  readonly resource: Resource;
  readonly concurrency: number;
  readonly queue: QueueStatus;
  /** Passes under way; `startedAt` in monotonic milliseconds. */
  readonly running: readonly { readonly key: string; readonly startedAt: number }[];
  /** Whether its sweep is under way. */
  readonly sweeping: boolean;
  /** Keys that wait for their time, in no order, as of when they are read. */
  readonly waiting: Iterable<WaitingEntry>;
  /** Keys whose pass was skipped and that wait for a cache. */
  readonly waitingForCache: number;
  /** Whether its passes wait for their own writes. */
  readonly waitsForOwnWrites: boolean;
  readonly passes: Readonly<Record<PassOutcome, number>>;
  /** Its intervals, and what became of the requeues that it asked for. */
  readonly intervals: readonly IntervalAccount[];
  /** Passes that acted on a change whose trigger was lost, by what started them. */
  readonly rescues: Readonly<Record<FallbackTrigger, number>>;
  /** The last failure of a pass, one line. */
  readonly lastError: { readonly key: string; readonly message: string; readonly at: number } | undefined;
}
