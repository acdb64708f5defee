import type { DeepReadonly, KubeObject, ObjectRef, Resource } from "../resources/index.ts";

/** Which objects: a namespace (all unless given) and selectors in kubectl's syntax. */
export interface Scope {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface ListOptions extends Scope {
  /** Objects a page; 500 unless given. */
  limit?: number;
  /** Unset: a consistent read. Anything else: at least (or, with a match, exactly) this version. */
  resourceVersion?: string;
  resourceVersionMatch?: "NotOlderThan" | "Exact";
  signal?: AbortSignal;
}

/** An object that arrived intact and could not be read: what is known of it. */
export interface OpaqueObject {
  readonly object: DeepReadonly<KubeObject> | undefined;
  readonly why: string;
}

export interface ListPage<T> {
  readonly items: readonly DeepReadonly<T>[];
  /** Those of the page that are not in `items`: they exist, and must not be taken for deleted. */
  readonly opaque?: readonly OpaqueObject[];
  /** The version of the whole list, the same on each page. */
  readonly resourceVersion: string;
  /** True on the last page. */
  readonly last: boolean;
}

export interface WatchOptions extends Scope {
  /** Events after this version; "" with `sendInitialEvents` starts from the present state. */
  resourceVersion: string;
  /** WatchList: the present state as ADDED events, closed by a bookmark with `initialEventsEnd`. */
  sendInitialEvents?: boolean;
  /** The server ends the stream after this long. */
  timeoutSeconds: number;
  /** Fail when no byte comes for this long; `timeoutSeconds` plus 30 s unless given. */
  idleTimeoutMs?: number;
  /** Called when the server has accepted the watch; the first event may be long in coming. */
  onOpen?: () => void;
  signal?: AbortSignal;
}

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: DeepReadonly<T> }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  /** An intact frame whose object could not be read: what is known of it. The stream goes on. */
  | ({ readonly type: "OPAQUE"; readonly change: "ADDED" | "MODIFIED" | "DELETED" | undefined } & OpaqueObject);

/**
 * What a reflector needs of a client.
 * `list` yields pages as they are decoded. `watch` yields the events of each network chunk together; it returns when the server
 * ends the stream cleanly and throws an `ApiError` for an ERROR event, a refused call or a broken stream.
 */
export interface ListerWatcher {
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): AsyncIterable<ListPage<T>>;
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>;
}

declare const live: unique symbol;
/**
 * An object straight from a live read or a write's answer, with every field the server sent. Only such an object may be passed to
 * `update`: writing back a cached object would erase what the cache did not keep.
 */
export type Live<T> = T & { readonly [live]: true };

/** An object to be created: the metadata that the user sets, and any further fields. */
export interface Draft {
  metadata: {
    name?: string;
    generateName?: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: DeepReadonly<KubeObject["metadata"]["ownerReferences"]>;
    finalizers?: string[];
  };
  [field: string]: unknown;
}

export type Patch =
  /** RFC 7386 merge patch: null deletes. */
  | { readonly type: "merge"; readonly body: object }
  /** RFC 6902 operations. */
  | { readonly type: "json"; readonly body: readonly object[] }
  /** Kubernetes' strategic merge patch; built-in kinds only. */
  | { readonly type: "strategic"; readonly body: object };

export interface CallOptions {
  signal?: AbortSignal;
}
export interface WriteOptions extends CallOptions {
  /** Recorded in managedFields; the client's name unless given. */
  fieldManager?: string;
  dryRun?: boolean;
  /**
   * Called each time the write is about to be sent, after any wait for its turn, a connection or a retry. What it throws ends the
   * call, unsent: for writers that may only write for as long as they hold something.
   */
  beforeSend?: () => void;
}
export interface PatchOptions extends WriteOptions {
  subresource?: "status";
  /** Refused with a conflict unless the object is still at this version. */
  resourceVersion?: string;
}
export interface DeleteOptions extends WriteOptions {
  /** Refused with a conflict unless the object is still this one. */
  uid?: string;
  resourceVersion?: string;
  propagationPolicy?: "Background" | "Foreground" | "Orphan";
  gracePeriodSeconds?: number;
}

/** Reads that go to the API server, never to a cache. */
export interface LiveReader extends ListerWatcher {
  /** Errors: `isNotFound` when there is none. */
  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: CallOptions): Promise<Live<T>>;
}

export interface Writer {
  create<T extends KubeObject>(resource: Resource<T>, draft: Draft, options?: WriteOptions): Promise<Live<T>>;
  /** Errors: `isConflict` when the object changed since it was read; `NOT_LIVE` when it did not come from a live read. */
  update<T extends KubeObject>(
    resource: Resource<T>,
    object: Live<T>,
    options?: WriteOptions & { subresource?: "status" },
  ): Promise<Live<T>>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: PatchOptions,
  ): Promise<Live<T>>;
  /** The object as it now is when finalizers or a grace period keep it; undefined when it is gone at once. */
  delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<Live<T> | undefined>;
}
