import type { KubeClient } from "../kube/index.ts";
import { HEARTBEAT_NAME, HEARTBEAT_VERBS, ruleFor } from "../lag/index.ts";
import { type Resource, resources } from "../resources/index.ts";
import type { SidecarOptions, WatchedKind } from "./sidecar-options.ts";

/** What one feature takes, as RBAC names it. */
export interface Right {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resource: string;
  /** Undefined: all, or a kind without namespaces. */
  readonly namespace: string | undefined;
  /** Only the object of this name; create cannot be limited to one. */
  readonly name?: string;
  /** As a half sentence behind the right; only where it is not for a cache. */
  readonly purpose?: string;
}

/** What a cache and the watch beside it take: probes are lists. */
const READ: readonly string[] = ["list", "watch"];
/** What `LeaseLock` calls. */
const ELECT: readonly string[] = ["get", "create", "patch"];

/** What `run` needs with these options to hold a cache of each of these kinds. */
export function readRights(
  { group, resource }: WatchedKind,
  namespaces: readonly (string | undefined)[],
): readonly Right[] {
  return namespaces.map((namespace) => ({ verbs: READ, group, resource, namespace }));
}

/** What it takes to read about suspects. Of a kind without namespaces nothing is asked for where only some are watched. */
export function evidenceRights(
  { group, resource, namespaced }: Pick<Resource, "group" | "resource" | "namespaced">,
  namespaces: readonly string[],
): readonly Right[] {
  if (!namespaced && namespaces.length > 0) return [];
  const purpose = "to say why something is stuck";
  const where = namespaces.length === 0 ? [undefined] : namespaces;
  return where.map((namespace) => ({ verbs: ["list"], group, resource, namespace, purpose }));
}

/** What whatever `run` writes takes; nothing where neither is asked for. */
export function writeRights({
  leaderElection,
  heartbeat,
}: {
  readonly leaderElection?: Pick<NonNullable<SidecarOptions["leaderElection"]>, "lease"> | undefined;
  readonly heartbeat?: Pick<NonNullable<SidecarOptions["heartbeat"]>, "namespace"> | undefined;
}): readonly Right[] {
  const rights: Right[] = [];
  const { jobs, leases } = resources;
  if (leaderElection) {
    const purpose = "to stand for election";
    rights.push({ verbs: ELECT, group: leases.group, resource: leases.resource, ...leaderElection.lease, purpose });
  }
  if (heartbeat) {
    const { namespace } = heartbeat;
    for (const { group, resource } of [jobs, leases]) {
      const purpose = "to keep its heartbeat";
      rights.push({ verbs: HEARTBEAT_VERBS, group, resource, namespace, name: HEARTBEAT_NAME, purpose });
    }
  }
  return rights;
}

/** The verbs that the server would refuse. Errors: those of the client. */
export async function deniedOf(client: KubeClient, right: Right, signal: AbortSignal): Promise<readonly string[]> {
  const { verbs, group, resource, namespace, name } = right;
  const reviews = verbs.map(async (verb) => {
    const object = name === undefined || verb === "create" ? {} : { name };
    const where = namespace === undefined ? {} : { namespace };
    const { allowed } = await client.review({ verb, group, resource, ...where, ...object }, signal);
    return allowed ? [] : [verb];
  });
  return (await Promise.all(reviews)).flat();
}

/** The rule that gives it, and where it belongs. */
export function remedyFor(right: Right): string {
  const { namespace, name, verbs } = right;
  const role = namespace === undefined ? "a ClusterRole" : `a Role in ${namespace}`;
  const rule = ruleFor(right, verbs);
  if (name === undefined) return `add to ${role}: ${rule}`;
  return `add to ${role}: ${rule} (all but create may be limited to resourceNames: ["${name}"])`;
}
