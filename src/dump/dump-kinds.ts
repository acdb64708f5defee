import { apiVersionOf, type Resource } from "../resources/index.ts";

/** The kinds that are kept of a dump, found by what an object says of itself. */
export class DumpKinds {
  readonly #byKind: Map<string, Resource> = new Map();

  constructor(kinds: readonly Resource[]) {
    for (const resource of kinds) this.#byKind.set(keyOf(resource.group, resource.kind), resource);
  }

  /**
   * Undefined: of no interest. Another version of a kind is read as the one we know: what is kept of an object has the same place in
   * all of them.
   */
  find(apiVersion: string, kind: string): { resource: Resource; otherVersion: boolean } | undefined {
    const slash = apiVersion.indexOf("/");
    const group = slash < 0 ? "" : apiVersion.slice(0, slash);
    const resource = this.#byKind.get(keyOf(group, kind));
    return resource && { resource, otherVersion: apiVersionOf(resource) !== apiVersion };
  }
}

function keyOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}
