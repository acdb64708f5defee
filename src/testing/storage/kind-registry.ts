import { StalewatchError } from "../../base/index.ts";
import type { Kind } from "./kind.ts";

/** What a test says of a custom kind, or of any further one. */
export interface Registration {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  /** true unless given. */
  readonly namespaced?: boolean;
  /** With "status", status is written through its own subresource only. */
  readonly subresources?: readonly "status"[];
  readonly shortNames?: readonly string[];
}

/** How a kind is pointed at: a `Resource`, or just its group and plural. */
export type KindRef = Pick<Kind, "group" | "resource">;

/** The kinds that are served, found by URL, by owner reference and by `Resource`. */
export class KindRegistry {
  readonly #byId: Map<string, Kind> = new Map();

  constructor(kinds: readonly Kind[]) {
    for (const kind of kinds) this.#byId.set(kind.id, kind);
  }

  /** Adds a custom kind. Registering the same one again changes nothing. */
  register(registration: Registration): Kind {
    const kind = customKind(registration);
    const known = this.#byId.get(kind.id);
    if (known?.apiVersion === kind.apiVersion && known.kind === kind.kind) return known;
    if (known)
      throw new StalewatchError("KIND_TAKEN", `${kind.id} is served as ${known.apiVersion} ${known.kind} already`);
    this.#byId.set(kind.id, kind);
    return kind;
  }

  all(): Iterable<Kind> {
    return this.#byId.values();
  }

  /** By URL: the version must fit too. */
  find(group: string, version: string, resource: string): Kind | undefined {
    const kind = this.#byId.get(kindId(group, resource));
    return kind?.version === version ? kind : undefined;
  }

  byKind(apiVersion: string, kind: string): Kind | undefined {
    for (const candidate of this.#byId.values()) {
      if (candidate.kind === kind && candidate.apiVersion === apiVersion) return candidate;
    }
    return undefined;
  }

  /** Errors: `KIND_NOT_SERVED`. */
  require(ref: KindRef): Kind {
    const kind = this.#byId.get(kindId(ref.group, ref.resource));
    if (kind) return kind;
    throw new StalewatchError(
      "KIND_NOT_SERVED",
      `the embedded server does not serve ${kindId(ref.group, ref.resource)}`,
      "register() it first",
    );
  }
}

export function kindId(group: string, resource: string): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function customKind(registration: Registration): Kind {
  const { group, version, kind, resource, namespaced = true, subresources = [], shortNames = [] } = registration;
  return {
    id: kindId(group, resource),
    group,
    version,
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    resource,
    singular: kind.toLowerCase(),
    shortNames,
    namespaced,
    status: subresources.includes("status"),
    custom: true,
    generation: true,
    cached: true,
    shape: undefined,
    rules: { conditionalUpdate: true },
  };
}
