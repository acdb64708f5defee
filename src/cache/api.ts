import type { DeepReadonly, KubeObject, ObjectRef, Resource } from "../resources/index.ts";

/** Why the store changed: an event of the watch, a difference that a list found, or a resync that replays the store. */
export type Cause = "watch" | "list" | "relist" | "resync";

export type InformerEvent<T extends KubeObject> =
  | { readonly type: "add"; readonly object: DeepReadonly<T>; readonly cause: Cause }
  /** A resync gives the same object twice. A recreated object of the same name has another uid. */
  | { readonly type: "update"; readonly object: DeepReadonly<T>; readonly old: DeepReadonly<T>; readonly cause: Cause }
  /** `tombstone`: the last state was not seen (a list did not have the object any more, or it could not be read); `object` is the last one known. */
  | { readonly type: "delete"; readonly object: DeepReadonly<T>; readonly tombstone: boolean; readonly cause: Cause };

/**
 * Called once the store has changed, in the order of the stream. Must return soon and not throw: what it throws is counted and
 * logged, and the next handler is called all the same.
 */
export type InformerHandler<T extends KubeObject> = (event: InformerEvent<T>) => void;

export interface HandlerRegistration {
  /** True once the initial list has been delivered to this handler. */
  hasSynced(): boolean;
  remove(): void;
}

/** As much of an object as it takes to find what it controls. */
export interface Owner {
  readonly metadata: { readonly uid: string; readonly namespace?: string | undefined };
}

/** Reads of the local store. Everything returned is shared and deeply readonly; a missing object is undefined. */
export interface Lister<T extends KubeObject> {
  get(ref: ObjectRef | string): DeepReadonly<T> | undefined;
  /** All, or those of one namespace. */
  list(namespace?: string): readonly DeepReadonly<T>[];
  /** Those whose controller reference has the uid of `owner`; with its namespace they are found sooner. */
  ownedBy(owner: Owner | string): readonly DeepReadonly<T>[];
  /** Those with exactly this label value. The first question about a label builds its index, unless `labelIndices` named it. */
  byLabel(label: string, value: string): readonly DeepReadonly<T>[];
  /**
   * Why the present state of this object could not be read, or undefined. The store then has its metadata alone: it exists and
   * has an owner, but nobody may judge it by its other fields.
   */
  unreadable(ref: ObjectRef | string): string | undefined;
}

/** What the ConsistencyStore asks of a cache. */
export interface VersionedStore {
  /** The version that the store's content stands at; "" before the first list. */
  lastStoreSyncResourceVersion(): string;
  /**
   * Resolves once the store's version is at or above `version`, or never will be: versions that cannot be compared, and a history
   * that went back, count as reached (ask again what to wait for). Rejects with the signal's reason, or when the store stops.
   */
  whenAtVersion(version: string, signal?: AbortSignal): Promise<void>;
}

/** Why somebody asks for a fresh list: the store is under suspicion, or the history is known to have gone back. */
export type RelistRequest = "verification" | "rewind";

export type InformerState = "starting" | "listing" | "watching" | "backing-off" | "stopped";

/** What /api/v1/caches and /readyz tell of a cache. */
export interface InformerStatus {
  readonly name: string;
  readonly resource: Resource;
  readonly state: InformerState;
  readonly synced: boolean;
  readonly objects: number;
  readonly storeVersion: string;
  /** How many lists have filled it so far. */
  readonly listings: number;
  /** The last failure, one line with its remedy, until the next success. */
  readonly lastError: string | undefined;
  /** Wall time in milliseconds of the last byte-level sign of life: event, bookmark or list. */
  readonly lastContactAt: number | undefined;
}
