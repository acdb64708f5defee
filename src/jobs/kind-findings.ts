import { keyOf } from "../resources/index.ts";
import type { Finding } from "./finding.ts";

/** What is known to be wrong with the objects of one kind, an entry an object. */
export class KindFindings {
  readonly #told: (before: Finding | undefined, after: Finding | undefined) => void;
  readonly #byKey: Map<string, Finding> = new Map();
  readonly #byOwner: Map<string, Map<string, Finding>> = new Map();

  /** `told` hears of each verdict. */
  constructor(told: (before: Finding | undefined, after: Finding | undefined) => void) {
    this.#told = told;
  }

  get(key: string): Finding | undefined {
    return this.#byKey.get(key);
  }

  all(): Iterable<Finding> {
    return this.#byKey.values();
  }

  /** Those about the objects in this namespace that have this owner. */
  ofOwner(namespace: string, owner: Finding["owner"]): Iterable<Finding> {
    return this.#byOwner.get(ownerKey(namespace, owner))?.values() ?? [];
  }

  /** The verdict on the object with this key; undefined: healthy, or gone. Returns what was known of it before. */
  set(key: string, finding: Finding | undefined): Finding | undefined {
    const before = this.#byKey.get(key);
    if (before) this.#forget(key, before);
    if (finding) this.#note(key, finding);
    this.#told(before, finding);
    return before;
  }

  #note(key: string, finding: Finding): void {
    this.#byKey.set(key, finding);
    const owner = ownerKey(finding.object.namespace, finding.owner);
    const ofOwner = this.#byOwner.get(owner) ?? new Map<string, Finding>();
    this.#byOwner.set(owner, ofOwner.set(key, finding));
  }

  #forget(key: string, finding: Finding): void {
    this.#byKey.delete(key);
    const owner = ownerKey(finding.object.namespace, finding.owner);
    const ofOwner = this.#byOwner.get(owner);
    ofOwner?.delete(key);
    if (ofOwner?.size === 0) this.#byOwner.delete(owner);
  }
}

function ownerKey(namespace: string, { kind, name }: Finding["owner"]): string {
  return `${kind} ${keyOf({ namespace, name })}`;
}
