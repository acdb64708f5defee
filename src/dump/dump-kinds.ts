import { isRecord } from "../kube/index.ts";
import { apiVersionOf, groupVersionOf, type Resource } from "../resources/index.ts";

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
    const resource = this.#byKind.get(keyOf(groupVersionOf(apiVersion).group, kind));
    return resource && { resource, otherVersion: apiVersionOf(resource) !== apiVersion };
  }
}

/** What the items of a typed list are: a JobList holds Jobs. A List holds anything. */
export function itemTypeOf(list: unknown): { apiVersion: string; kind: string } | undefined {
  if (!isRecord(list)) return undefined;
  const { apiVersion, kind } = list;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  return kind !== "List" && kind.endsWith("List") ? { apiVersion, kind: kind.slice(0, -4) } : undefined;
}

function keyOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}
