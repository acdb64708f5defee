import {
  controllerOf,
  type DeepReadonly,
  type Event,
  type Job,
  keyOf,
  type KubeObject,
  type ObjectRef,
  type Pod,
  type Resource,
  resourceName,
  resources,
} from "../resources/index.ts";
import { Sightings } from "./sightings.ts";
import type { World } from "./world.ts";

type Objects = Map<string, DeepReadonly<KubeObject>>;

/**
 * A world of objects that somebody holds: from files, from a recording, in a test. What was given is all there is: of a kind of which
 * nothing was ever given (and that was not declared complete) nothing is known.
 */
export class Snapshot implements World {
  readonly #kinds: Map<string, Objects> = new Map();
  readonly #byOwner: Map<string, Map<string, DeepReadonly<KubeObject>>> = new Map();
  readonly #byUid: Map<string, DeepReadonly<KubeObject>> = new Map();
  readonly #unreadable: Set<DeepReadonly<KubeObject>> = new Set();
  readonly #sightings: Sightings = new Sightings();
  readonly #events: Map<string, Map<string, DeepReadonly<Event>>> = new Map();

  /** Of how many kinds it is known what there is. */
  get knownKinds(): number {
    return this.#kinds.size;
  }

  knows(resource: Resource): boolean {
    return this.#kinds.has(resourceName(resource));
  }

  /** From now on, what was not given of this kind does not exist. */
  declare(resource: Pick<Resource, "group" | "version" | "resource">): void {
    this.#objectsOf(resource);
  }

  /** Of an unreadable one there is its metadata alone: that it is there is known, and nothing else. */
  set<T extends KubeObject>(resource: Resource<T>, object: DeepReadonly<T>, isUnreadable = false): void {
    this.delete(resource, object.metadata);
    if (isUnreadable) this.#unreadable.add(object);
    const key = keyOf(object.metadata);
    this.#objectsOf(resource).set(key, object);
    this.#byUid.set(object.metadata.uid, object);
    const owner = controllerOf(object)?.uid;
    if (owner !== undefined) indexed(this.#byOwner, ownerKey(resource, owner)).set(key, object);
    const about = aboutOf(resource, object);
    if (about !== undefined) indexed(this.#events, about).set(key, object);
  }

  delete(resource: Resource, ref: ObjectRef): void {
    const key = keyOf(ref);
    const objects = this.#objectsOf(resource);
    const known = objects.get(key);
    if (!known) return;
    objects.delete(key);
    this.#unreadable.delete(known);
    if (this.#byUid.get(known.metadata.uid) === known) this.#byUid.delete(known.metadata.uid);
    const owner = controllerOf(known)?.uid;
    if (owner !== undefined) this.#byOwner.get(ownerKey(resource, owner))?.delete(key);
    const about = aboutOf(resource, known);
    if (about !== undefined) this.#events.get(about)?.delete(key);
  }

  list<T extends KubeObject>(resource: Resource<T>): Iterable<DeepReadonly<T>> {
    return (this.#kinds.get(resourceName(resource))?.values() ?? []) as Iterable<DeepReadonly<T>>;
  }

  podsOf(uid: string): readonly DeepReadonly<Pod>[] {
    return this.#ownedBy(resources.pods, uid);
  }

  jobsOf(uid: string): readonly DeepReadonly<Job>[] {
    return this.#ownedBy(resources.jobs, uid);
  }

  find<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): DeepReadonly<T> | null | undefined {
    const objects = this.#kinds.get(resourceName(resource));
    if (!objects) return undefined;
    const object = objects.get(keyOf(ref)) as DeepReadonly<T> | undefined;
    return object && this.#unreadable.has(object) ? undefined : (object ?? null);
  }

  byLabel<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string,
    label: string,
    value: string,
  ): readonly DeepReadonly<T>[] | undefined {
    if (!this.#kinds.has(resourceName(resource))) return undefined;
    return [...this.list(resource)].filter(
      ({ metadata }) => metadata.namespace === namespace && metadata.labels?.[label] === value,
    );
  }

  eventsAbout({ metadata }: DeepReadonly<KubeObject>): readonly DeepReadonly<Event>[] | undefined {
    if (!this.#kinds.has(resourceName(resources.events))) return undefined;
    return [...(this.#events.get(metadata.uid)?.values() ?? [])];
  }

  ownerOf(object: DeepReadonly<KubeObject>): DeepReadonly<KubeObject> | undefined {
    return this.#byUid.get(controllerOf(object)?.uid ?? "");
  }

  unchangedSince({ metadata }: DeepReadonly<KubeObject>, what: string, token: string, now: number): number {
    return this.#sightings.unchangedSince(metadata.uid, what, token, now);
  }

  /** A verdict on the object with this uid was given. What a whole one has not seen begins anew when it is seen again. */
  looked(uid: string, isWhole: boolean): void {
    this.#sightings.looked(uid, isWhole);
  }

  #ownedBy<T extends KubeObject>(resource: Resource<T>, uid: string): readonly DeepReadonly<T>[] {
    return [...(this.#byOwner.get(ownerKey(resource, uid))?.values() ?? [])] as DeepReadonly<T>[];
  }

  #objectsOf(resource: Pick<Resource, "group" | "version" | "resource">): Objects {
    return indexed(this.#kinds, resourceName(resource));
  }
}

function indexed<V>(index: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const known = index.get(key);
  if (known) return known;
  const made = new Map<string, V>();
  index.set(key, made);
  return made;
}

function ownerKey(resource: Resource, uid: string): string {
  return `${resourceName(resource)} ${uid}`;
}

function aboutOf(resource: Resource, object: DeepReadonly<KubeObject>): string | undefined {
  if (resourceName(resource) !== resourceName(resources.events)) return undefined;
  return (object as DeepReadonly<Event>).involvedObject?.uid;
}
