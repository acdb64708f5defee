import {
  byLabelDependency,
  byNameDependency,
  byOwnerDependency,
  type Dependencies,
  type Snapshot,
  type World,
} from "../jobs/index.ts";
import {
  controllerOf,
  type DeepReadonly,
  type Event,
  type Job,
  type KubeObject,
  type ObjectRef,
  type Pod,
  type Resource,
  resources,
} from "../resources/index.ts";

/** Events are asked for by the uid of what they are about: for a dependency that is their name. */
const EVENTS_ABOUT = { group: "", resource: "events about" };

/** What one verdict sees of a snapshot; notes what it rests on. */
export class TrackedWorld implements World {
  readonly dependencies: Set<string> = new Set();
  /** Whether something is there that could not be read. */
  isAnswerMissing = false;
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  podsOf(uid: string): readonly DeepReadonly<Pod>[] {
    this.dependencies.add(byOwnerDependency(resources.pods, uid));
    return this.#snapshot.podsOf(uid);
  }

  jobsOf(uid: string): readonly DeepReadonly<Job>[] {
    this.dependencies.add(byOwnerDependency(resources.jobs, uid));
    return this.#snapshot.jobsOf(uid);
  }

  find<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): DeepReadonly<T> | null | undefined {
    this.dependencies.add(byNameDependency(resource, ref));
    const found = this.#snapshot.find(resource, ref);
    if (found === undefined && this.#snapshot.knows(resource)) this.isAnswerMissing = true;
    return found;
  }

  byLabel<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string,
    label: string,
    value: string,
  ): readonly DeepReadonly<T>[] | undefined {
    this.dependencies.add(byLabelDependency(resource, namespace, label, value));
    return this.#snapshot.byLabel(resource, namespace, label, value);
  }

  eventsAbout(object: DeepReadonly<KubeObject>): readonly DeepReadonly<Event>[] | undefined {
    this.dependencies.add(byNameDependency(EVENTS_ABOUT, { name: object.metadata.uid }));
    return this.#snapshot.eventsAbout(object);
  }

  ownerOf(object: DeepReadonly<KubeObject>): DeepReadonly<KubeObject> | undefined {
    const owner = controllerOf(object);
    if (owner) this.dependencies.add(byNameDependency(OWNERS, { name: owner.uid }));
    return this.#snapshot.ownerOf(object);
  }

  unchangedSince(object: DeepReadonly<KubeObject>, what: string, token: string, now: number): number {
    return this.#snapshot.unchangedSince(object, what, token, now);
  }
}

/** Owners are asked for by uid, whatever their kind. */
const OWNERS = { group: "", resource: "owners" };

/** The subjects whose verdict may change with this object. */
export function* concernedBy(
  dependencies: Dependencies,
  resource: Resource,
  object: DeepReadonly<KubeObject>,
): Generator<ObjectRef> {
  yield* dependencies.concerned(resource, object);
  yield* dependencies.concerned(OWNERS, named(object.metadata.uid));
  const about = (object as DeepReadonly<Event>).involvedObject?.uid;
  if (about !== undefined) yield* dependencies.concerned(EVENTS_ABOUT, named(about));
}

function named(uid: string): DeepReadonly<KubeObject> {
  return { metadata: { name: uid, uid, resourceVersion: "" } };
}
