import {
  controllerOf,
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectRef,
  refOf,
  type Resource,
} from "../../resources/index.ts";

type Kind = Pick<Resource, "group" | "resource">;

export function byNameDependency({ group, resource }: Kind, ref: ObjectRef): string {
  return `${resource}.${group} ${keyOf(ref)}`;
}

export function byOwnerDependency({ group, resource }: Kind, uid: string): string {
  return `${resource}.${group} of ${uid}`;
}

export function byLabelDependency({ group, resource }: Kind, namespace: string, label: string, value: string): string {
  return `${resource}.${group} ${namespace} ${label}=${value}`;
}

/** Which verdicts rest on which cached objects beside the judged ones: a change of the one calls for the other. */
export class Dependencies {
  readonly #subjects: Map<string, Set<string>> = new Map();
  readonly #dependencies: Map<string, ReadonlySet<string>> = new Map();

  /** Replaces what is known of the subject with this key. */
  set(subject: string, dependencies: ReadonlySet<string>): void {
    for (const dependency of this.#dependencies.get(subject) ?? []) {
      const subjects = this.#subjects.get(dependency);
      subjects?.delete(subject);
      if (subjects?.size === 0) this.#subjects.delete(dependency);
    }
    if (dependencies.size > 0) this.#dependencies.set(subject, dependencies);
    else this.#dependencies.delete(subject);
    for (const dependency of dependencies) {
      const subjects = this.#subjects.get(dependency);
      if (subjects) subjects.add(subject);
      else this.#subjects.set(dependency, new Set([subject]));
    }
  }

  /** The subjects whose verdict may change with this object. */
  *concerned(kind: Kind, object: DeepReadonly<KubeObject>): Generator<ObjectRef> {
    if (this.#subjects.size === 0) return;
    const { namespace = "", labels = {} } = object.metadata;
    yield* this.#subjectsOf(byNameDependency(kind, object.metadata));
    const owner = controllerOf(object);
    if (owner) yield* this.#subjectsOf(byOwnerDependency(kind, owner.uid));
    for (const [label, value] of Object.entries(labels)) {
      yield* this.#subjectsOf(byLabelDependency(kind, namespace, label, value));
    }
  }

  *#subjectsOf(dependency: string): Generator<ObjectRef> {
    for (const subject of this.#subjects.get(dependency) ?? []) yield refOf(subject);
  }
}
