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
import { SnapshotIndex } from "./snapshot-index.ts";
import type { World } from "./world.ts";

type Objects = Map<string, DeepReadonly<KubeObject>>;

/**
 * A world of objects that somebody holds: from files, from a recording, in a test. What was given is all there is: of a kind of which
 * nothing was ever given (and that was not declared complete) nothing is known.
 */
export class Snapshot implements World {
  readonly #kinds: Map<string, Objects> = new Map();
  readonly #byOwner: SnapshotIndex = new SnapshotIndex();
  readonly #byUid: Map<string, DeepReadonly<KubeObject>> = new Map();
  readonly #unreadable: Set<DeepReadonly<KubeObject>> = new Set();
  readonly #sightings: Sightings = new Sightings();
  readonly #events: SnapshotIndex = new SnapshotIndex();
  /** By kind, then by label: of those labels alone that somebody has asked for. */
  readonly #byLabel: Map<string, Map<string, SnapshotIndex>> = new Map();

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
    const before = this.#remove(resource, object.metadata);
    if (before && before.metadata.uid !== object.metadata.uid) this.#sightings.forget(before.metadata.uid);
    if (isUnreadable) this.#unreadable.add(object);
    const key = keyOf(object.metadata);
    this.#objectsOf(resource).set(key, object);
    this.#byUid.set(object.metadata.uid, object);
    for (const [index, group] of this.#placesOf(resource, object)) index.add(group, key, object);
  }

  delete(resource: Resource, ref: ObjectRef): void {
    const known = this.#remove(resource, ref);
    if (known) this.#sightings.forget(known.metadata.uid);
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
    if (!this.knows(resource)) return undefined;
    return this.#labelIndex(resource, label).list(labelGroup(namespace, value)) as readonly DeepReadonly<T>[];
  }

  eventsAbout({ metadata }: DeepReadonly<KubeObject>): readonly DeepReadonly<Event>[] | undefined {
    if (!this.knows(resources.events)) return undefined;
    return this.#events.list(metadata.uid);
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
    return this.#byOwner.list(ownerKey(resource, uid)) as readonly DeepReadonly<T>[];
  }

  #remove(resource: Resource, ref: ObjectRef): DeepReadonly<KubeObject> | undefined {
    const key = keyOf(ref);
    const objects = this.#objectsOf(resource);
    const known = objects.get(key);
    if (!known) return undefined;
    objects.delete(key);
    this.#unreadable.delete(known);
    if (this.#byUid.get(known.metadata.uid) === known) this.#byUid.delete(known.metadata.uid);
    for (const [index, group] of this.#placesOf(resource, known)) index.remove(group, key);
    return known;
  }

  *#placesOf(resource: Resource, object: DeepReadonly<KubeObject>): Generator<readonly [SnapshotIndex, string]> {
    const owner = controllerOf(object)?.uid;
    if (owner !== undefined) yield [this.#byOwner, ownerKey(resource, owner)];
    const about = aboutOf(resource, object);
    if (about !== undefined) yield [this.#events, about];
    const { namespace = "", labels } = object.metadata;
    for (const [label, index] of this.#byLabel.get(resourceName(resource)) ?? []) {
      const value = labels?.[label];
      if (value !== undefined) yield [index, labelGroup(namespace, value)];
    }
  }

  #labelIndex(resource: Resource, label: string): SnapshotIndex {
    const name = resourceName(resource);
    const ofKind = this.#byLabel.get(name) ?? new Map<string, SnapshotIndex>();
    this.#byLabel.set(name, ofKind);
    const known = ofKind.get(label);
    if (known) return known;
    const index = new SnapshotIndex();
    ofKind.set(label, index);
    for (const [key, object] of this.#objectsOf(resource)) {
      const { namespace = "", labels } = object.metadata;
      const value = labels?.[label];
      if (value !== undefined) index.add(labelGroup(namespace, value), key, object);
    }
    return index;
  }

  #objectsOf(resource: Pick<Resource, "group" | "version" | "resource">): Objects {
    const name = resourceName(resource);
    const known = this.#kinds.get(name);
    if (known) return known;
    const made: Objects = new Map();
    this.#kinds.set(name, made);
    return made;
  }
}

function labelGroup(namespace: string, value: string): string {
  return `${namespace} ${value}`;
}

function ownerKey(resource: Resource, uid: string): string {
  return `${resourceName(resource)} ${uid}`;
}

function aboutOf(resource: Resource, object: DeepReadonly<KubeObject>): string | undefined {
  if (resourceName(resource) !== resourceName(resources.events)) return undefined;
  return (object as DeepReadonly<Event>).involvedObject?.uid;
}
