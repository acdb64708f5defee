import {
  genericParent,
  isBuiltIn,
  kindKey,
  MOST_FOUND_KINDS,
  type OwnerKind,
  ownerKindOf,
  type Parent,
  parentResource,
  type ParentRules,
} from "../jobs/index.ts";
import type { DeepReadonly, Job, Resource } from "../resources/index.ts";

interface Candidate<O> {
  readonly rules: ParentRules;
  readonly resource: Resource<Parent>;
  readonly objects: O[];
}

/** Objects of kinds that own Jobs or do not: what is in a file does not say so before the last Job has been read. */
export class CandidateParents<O> {
  readonly #known: ReadonlySet<string>;
  readonly #candidates: Map<string, Candidate<O>> = new Map();
  readonly #owners: Set<string> = new Set();

  /** The kinds that are of interest whatever they own. */
  constructor(known: Iterable<OwnerKind>) {
    this.#known = new Set([...known].map(kindKey));
  }

  /** How to read an object of this kind; undefined where its kind is known or is built in. */
  resourceOf(kind: OwnerKind, namespaced: boolean): Resource<Parent> | undefined {
    const key = kindKey(kind);
    if (this.#known.has(key) || isBuiltIn(kind.group)) return undefined;
    const known = this.#candidates.get(key)?.resource;
    if (known) return known;
    const { group, version, kind: name } = kind;
    const rules = genericParent({ group, version, kind: name, resource: pluralOf(name), namespaced });
    const resource = parentResource(rules);
    this.#candidates.set(key, { rules, resource, objects: [] });
    return resource;
  }

  /** For an object of a kind whose resource was asked for. */
  add(kind: OwnerKind, object: O): void {
    this.#candidates.get(kindKey(kind))?.objects.push(object);
  }

  see(job: DeepReadonly<Job>): void {
    const kind = ownerKindOf(job);
    if (kind) this.#owners.add(kindKey(kind));
  }

  /** The kinds that own a Job that was seen, in the order of the file: as many as in a cluster, and those that are too many. */
  owners(): { readonly found: readonly Candidate<O>[]; readonly tooMany: readonly Candidate<O>[] } {
    const present = [...this.#candidates].flatMap(([key, candidate]) => (this.#owners.has(key) ? [candidate] : []));
    return { found: present.slice(0, MOST_FOUND_KINDS), tooMany: present.slice(MOST_FOUND_KINDS) };
  }
}

/** As most kinds have it: an object does not say under which plural it is served. kubectl takes this one for any kind with a regular plural. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(?:s|x|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
