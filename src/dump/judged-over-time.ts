import { KeyedHeap } from "../base/index.ts";
import { Dependencies, type Finding, Findings, type LimitRules, type Snapshot } from "../jobs/index.ts";
import {
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectRef,
  type Resource,
  resourceName,
} from "../resources/index.ts";
import { noopMeter } from "../telemetry/index.ts";
import type { JudgedKind, KindsInFiles } from "./kinds-in-files.ts";
import { concernedBy, TrackedWorld } from "./tracked-world.ts";
import { type Transition, transitionOf } from "./transition.ts";

interface Judged {
  readonly kind: JudgedKind;
  readonly dependencies: Dependencies;
}

interface Subject extends Judged {
  readonly ref: ObjectRef;
}

/**
 * The verdicts on a snapshot that changes. Judges again only what a change concerns and what falls due, as a live controller does, so
 * that a recording of many events about many objects takes no longer than it must. Times are wall time in milliseconds, and never
 * go back.
 */
export class JudgedOverTime {
  readonly transitions: Transition[] = [];
  readonly #snapshot: Snapshot;
  readonly #rules: LimitRules;
  readonly #findings: Findings;
  readonly #kinds: readonly Judged[];
  readonly #due: KeyedHeap<string> = new KeyedHeap();
  readonly #subjects: Map<string, Subject> = new Map();

  constructor(snapshot: Snapshot, { judged }: KindsInFiles, rules: LimitRules) {
    this.#snapshot = snapshot;
    this.#kinds = judged.map((kind) => ({ kind, dependencies: new Dependencies() }));
    this.#rules = rules;
    this.#findings = new Findings({ meter: noopMeter }, rules);
  }

  /** When time alone may change a verdict next. */
  get dueAt(): number | undefined {
    return this.#due.peek()?.order;
  }

  /** After these objects were changed, `before` and `after`, in the snapshot: whom it concerns is judged once. */
  changed(changes: Iterable<readonly [Resource, DeepReadonly<KubeObject>]>, now: number): void {
    const concerned = new Map<string, Subject>();
    for (const [resource, object] of changes) {
      for (const subject of this.#concernedBy(resource, object)) concerned.set(idOf(subject), subject);
    }
    for (const subject of concerned.values()) this.#judge(subject, now);
  }

  /** Judges every object there is. */
  everything(now: number): void {
    for (const judged of this.#kinds) {
      for (const { metadata } of this.#snapshot.list(judged.kind.resource)) {
        const { namespace = "", name } = metadata;
        this.#judge({ ...judged, ref: { namespace, name } }, now);
      }
    }
  }

  /** Judges what has fallen due. */
  advance(now: number): void {
    for (let next = this.#due.peek(); next && next.order <= now; next = this.#due.peek()) {
      this.#due.pop();
      const subject = this.#subjects.get(next.key);
      if (subject) this.#judge(subject, now);
    }
  }

  /** Worst first, then oldest; not what is only watched. */
  list(now: number): readonly Finding[] {
    return this.#findings.list(now);
  }

  *#concernedBy(resource: Resource, object: DeepReadonly<KubeObject>): Generator<Subject> {
    const { namespace = "", name } = object.metadata;
    for (const judged of this.#kinds) {
      const { kind, dependencies } = judged;
      if (kind.resource === resource) yield { ...judged, ref: { namespace, name } };
      for (const ref of concernedBy(dependencies, resource, object)) yield { ...judged, ref };
    }
  }

  #judge(subject: Subject, now: number): void {
    const { kind, dependencies, ref } = subject;
    const id = idOf(subject);
    const key = keyOf(ref);
    const object = this.#snapshot.find(kind.resource, ref);
    // It is there and cannot be read: its verdict stays as it was.
    if (object === undefined) {
      this.#due.delete(id);
      return;
    }
    const world = new TrackedWorld(this.#snapshot);
    const verdict = object && kind.verdict(object, world, now, this.#rules);
    const { finding, dueAt } = verdict ?? {};
    dependencies.set(key, world.dependencies);
    if (object) this.#snapshot.looked(object.metadata.uid, verdict?.isWhole === true && !world.isAnswerMissing);
    if (dueAt === undefined) this.#due.delete(id);
    else this.#due.set(id, dueAt);
    if (object) this.#subjects.set(id, subject);
    else this.#subjects.delete(id);
    const transition = transitionOf(this.#findings.of(kind.resource).set(key, finding), finding, now);
    if (transition) this.transitions.push(transition);
  }
}

function idOf({ kind, ref }: Subject): string {
  return `${resourceName(kind.resource)} ${keyOf(ref)}`;
}
