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
} from "../../resources/index.ts";
import type { Sightings } from "../sightings.ts";
import type { World } from "../world.ts";
import type { Caches } from "./caches.ts";
import { byLabelDependency, byNameDependency, byOwnerDependency } from "./dependencies.ts";
import type { EvidenceReader } from "./evidence-reader.ts";
import type { Question } from "./question.ts";

export interface LiveWorldParts {
  readonly caches: Caches;
  readonly evidence: EvidenceReader;
  readonly sightings: Sightings;
  /** Whether anybody wants to know the dependencies of verdicts. */
  readonly tracked: boolean;
}

/** Who looks, so that it can be told when an answer comes. */
export interface Asker {
  /** `controller namespace/name`. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly wake: () => void;
}

interface Owned<T> {
  readonly owner: string;
  readonly list: readonly DeepReadonly<T>[];
}

const NONE: ReadonlySet<string> = new Set();

/** What one verdict sees of a cluster: caches, and what has been read beside them. Notes what the verdict rests on. */
export class LiveWorld implements World {
  readonly #parts: LiveWorldParts;
  readonly #asker: Asker;
  readonly #dependencies: Set<string> | undefined;
  #notes: Set<string> | undefined;
  #asked = false;
  #pods: Owned<Pod> | undefined;
  #jobs: Owned<Job> | undefined;
  #waitingSince: number | undefined;

  constructor(parts: LiveWorldParts, asker: Asker) {
    this.#parts = parts;
    this.#asker = asker;
    this.#dependencies = parts.tracked ? new Set() : undefined;
  }

  /** The cached objects, whether they exist or not, whose change may change the verdict. */
  get dependencies(): ReadonlySet<string> {
    return this.#dependencies ?? NONE;
  }

  /** What could not be read, one line each. */
  get notes(): readonly string[] {
    return [...(this.#notes ?? NONE)];
  }

  /** Whether anything was asked for that no cache holds. */
  get asked(): boolean {
    return this.#asked;
  }

  /** When the oldest question was asked that has no answer yet, monotonic milliseconds. */
  get waitingSince(): number | undefined {
    return this.#waitingSince;
  }

  podsOf(uid: string): readonly DeepReadonly<Pod>[] {
    // Nearly every kind asks for the pods of the one Job that is judged.
    if (this.#pods?.owner !== uid) this.#pods = { owner: uid, list: this.#ownedBy(resources.pods, uid) };
    return this.#pods.list;
  }

  jobsOf(uid: string): readonly DeepReadonly<Job>[] {
    // Nor does a verdict look at the Jobs of more than one owner, as a rule.
    if (this.#jobs?.owner !== uid) this.#jobs = { owner: uid, list: this.#ownedBy(resources.jobs, uid) };
    return this.#jobs.list;
  }

  find<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): DeepReadonly<T> | null | undefined {
    const cached = this.#parts.caches.of(resource);
    if (cached) {
      this.#dependencies?.add(byNameDependency(resource, ref));
      const found = cached.lister.get(ref);
      if (found) return cached.lister.unreadable(ref) === undefined ? found : undefined;
      if (cached.holdsAll(ref.namespace)) return null;
    }
    const read = this.#read<T>({ resource, namespace: ref.namespace, by: "name", value: ref.name });
    return read && (read[0] ?? null);
  }

  byLabel<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string,
    label: string,
    value: string,
  ): readonly DeepReadonly<T>[] | undefined {
    const cached = this.#parts.caches.of(resource);
    if (!cached?.holdsAllWith(label, namespace))
      return this.#read<T>({ resource, namespace, by: "label", label, value });
    this.#dependencies?.add(byLabelDependency(resource, namespace, label, value));
    return cached.lister.byLabel(label, value).filter(({ metadata }) => metadata.namespace === namespace);
  }

  eventsAbout({ metadata }: DeepReadonly<KubeObject>): readonly DeepReadonly<Event>[] | undefined {
    // Events about objects without a namespace are in "default".
    const { namespace = "default", uid } = metadata;
    return this.#read({ resource: resources.events, namespace, by: "about", value: uid });
  }

  ownerOf(object: DeepReadonly<KubeObject>): DeepReadonly<KubeObject> | undefined {
    const owner = controllerOf(object);
    if (!owner) return undefined;
    const lister = this.#parts.caches.ofKind(owner.apiVersion, owner.kind)?.lister;
    const { name, uid } = owner;
    const { namespace = "" } = object.metadata;
    const found = lister?.get({ namespace, name }) ?? lister?.get({ name });
    return found?.metadata.uid === uid ? found : undefined;
  }

  unchangedSince({ metadata }: DeepReadonly<KubeObject>, what: string, token: string, now: number): number {
    return this.#parts.sightings.unchangedSince(metadata.uid, what, token, now);
  }

  #ownedBy<T extends KubeObject>(resource: Resource<T>, uid: string): readonly DeepReadonly<T>[] {
    this.#dependencies?.add(byOwnerDependency(resource, uid));
    const { namespace } = this.#asker;
    return this.#parts.caches.of(resource)?.lister.ownedBy({ metadata: { uid, namespace } }) ?? [];
  }

  #read<T extends KubeObject>(question: Question): readonly DeepReadonly<T>[] | undefined {
    this.#asked = true;
    const { evidence } = this.#parts;
    const answer = evidence.ask(question, this.#asker.name, this.#asker.wake);
    if ("objects" in answer) return answer.objects as readonly DeepReadonly<T>[];
    if ("unreadable" in answer) (this.#notes ??= new Set()).add(answer.unreadable);
    else this.#waitingSince = Math.min(answer.askedAt, this.#waitingSince ?? answer.askedAt);
    return undefined;
  }
}
