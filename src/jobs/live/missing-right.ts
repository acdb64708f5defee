import { oneLine } from "../../base/index.ts";
import { ruleFor } from "../../lag/index.ts";
import type { Resource } from "../../resources/index.ts";

/** What may not be done, and the rule to add: one line. Undefined as the namespace: all of them, or a kind without namespaces. */
export function missingRight(resource: Resource, verbs: readonly string[], namespace: string | undefined): string {
  const where = namespace === undefined ? "" : ` in ${oneLine(namespace)}`;
  const role = namespace === undefined ? "a ClusterRole" : `a Role${where}`;
  return `may not ${verbs.join(" or ")} ${groupKindText(resource)}${where}: add to ${role}: ${ruleFor(resource, verbs)}`;
}

/** `events`, `workloads.kueue.x-k8s.io`. */
export function groupKindText({ group, resource }: Pick<Resource, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}
