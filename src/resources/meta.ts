/** Times are RFC 3339 strings as the API writes them in JSON, whichever wire they came over. */
export type Time = string;

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** What is kept of every object's metadata; never managedFields or selfLink. Empty lists and maps are absent. */
export interface ObjectMeta {
  name: string;
  generateName?: string;
  /** Absent on cluster-scoped objects. */
  namespace?: string;
  uid: string;
  /** Opaque but ordered within one resource: compare with `compareVersions`, never as a number. */
  resourceVersion: string;
  generation?: number;
  creationTimestamp?: Time;
  deletionTimestamp?: Time;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

/** Any object. `apiVersion` and `kind` are known from the resource it was read as, so cached objects do not repeat them. */
export interface KubeObject {
  metadata: ObjectMeta;
}

/** Cached objects are shared by everybody who reads the cache: nobody may change one. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** The state of something as a list of named conditions, the same for every kind. */
export interface Condition {
  type: string;
  status: string;
  lastTransitionTime?: Time;
  reason?: string;
  message?: string;
}

/** Names one object of a resource. */
export interface ObjectRef {
  /** Absent or empty for cluster-scoped objects. */
  namespace?: string;
  name: string;
}

/** `namespace/name`, or `name` alone without a namespace: the key of stores and queues. */
export function keyOf(ref: { namespace?: string | undefined; name: string }): string {
  return ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
}

/** The reverse of `keyOf`. */
export function refOf(key: string): ObjectRef {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The owner that manages this object (at most one has `controller: true`), or undefined. */
export function controllerOf(object: DeepReadonly<KubeObject>): DeepReadonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}
