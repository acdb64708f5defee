import type { DeepReadonly, Event, Job, KubeObject, ObjectRef, Pod, Resource } from "../resources/index.ts";

/**
 * What a judge may look at beside the object it judges: caches and live reads in a cluster, or what a file holds. Synchronous and
 * consistent for one verdict. An answer of `undefined` means that it is not known (yet, or not to us): whoever made the world notes
 * the question, may read the answer and judge again. A judge that cannot do without it returns nothing rather than a guess.
 */
export interface World {
  /** The pods whose controller has this uid, deleted-but-not-gone ones included. Always known. */
  podsOf(uid: string): readonly DeepReadonly<Pod>[];
  /** The Jobs whose controller has this uid. Always known. */
  jobsOf(uid: string): readonly DeepReadonly<Job>[];
  /** null: there is no such object. Reads of Secrets are never answered. */
  find<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): DeepReadonly<T> | null | undefined;
  /** Objects of the kind with this label value in a namespace. */
  byLabel<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string,
    label: string,
    value: string,
  ): readonly DeepReadonly<T>[] | undefined;
  /** Events about the object with this uid, in no order. Costs a read in a cluster: ask only when the object itself looks wrong. */
  eventsAbout(object: DeepReadonly<KubeObject>): readonly DeepReadonly<Event>[] | undefined;
  /** The controller of the object, where it is cached; undefined also when there is none. Never costs a read. */
  ownerOf(object: DeepReadonly<KubeObject>): DeepReadonly<KubeObject> | undefined;
  /**
   * Since when this token has been the same for this object, wall time in milliseconds; `now` when it is new. For what the API gives no
   * time of: a symptom that uses it says `sinceSource: "observed"`. `what` tells the tokens of one object apart ("uncounted pods").
   */
  unchangedSince(object: DeepReadonly<KubeObject>, what: string, token: string, now: number): number;
}
