import { distance } from "fastest-levenshtein";
import type { DiscoveredResource } from "../kube/index.ts";
import { resourceName } from "../resources/index.ts";
import type { WatchedKind } from "./sidecar-options.ts";

/** A mistyped plural differs by this much at most. */
const MOST_EDITS = 2;

/** Names what was probably meant: the same kind in another group or version, or a plural that is spelt alike. */
export function notServed(
  kind: WatchedKind,
  served: readonly DiscoveredResource[],
): { readonly found: string; readonly remedy: string } {
  const named = kind.resource.toLowerCase();
  const same = served.find((other) => other.resource === named || other.kind.toLowerCase() === named);
  const beside = served.filter(({ group, version }) => group === kind.group && version === kind.version);
  const meant = same ?? beside.find(({ resource }) => distance(named, resource) <= MOST_EDITS);
  const remedy = meant
    ? `did you mean ${[meant.group, meant.version, meant.resource].filter(Boolean).join("/")}?`
    : "install it";
  return { found: `the API server does not serve ${resourceName(kind)}`, remedy };
}
