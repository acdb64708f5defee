import { controllerOf, type DeepReadonly, groupVersionOf, type Job, type Resource } from "../../resources/index.ts";

/** A kind as an owner reference names it. */
export type OwnerKind = Pick<Resource, "group" | "version" | "kind">;

/** Each kind that is found costs a cache. */
export const MOST_FOUND_KINDS = 20;

/** As a CustomResourceDefinition may name them. An owner reference may say anything. */
const KIND = /^[A-Za-z][-A-Za-z0-9]{0,62}$/;
const GROUP = /^[a-z0-9][-a-z0-9.]{0,252}$/;
const VERSION = /^[a-z][-a-z0-9]{0,62}$/;

/** The kind of what controls the Job, unless it is built in, as CronJob is, or can be no kind. */
export function ownerKindOf(job: DeepReadonly<Job>): OwnerKind | undefined {
  const owner = controllerOf(job);
  if (!owner) return undefined;
  const { group, version } = groupVersionOf(owner.apiVersion);
  const { kind } = owner;
  const isLegal = KIND.test(kind) && GROUP.test(group) && VERSION.test(version);
  return isLegal && !isBuiltIn(group) ? { group, version, kind } : undefined;
}

/**
 * Whether the API server has the group itself. The group of a CustomResourceDefinition has a dot in it, and one below k8s.io is for what
 * the Kubernetes project has approved, none of which owns Jobs: https://github.com/kubernetes/enhancements/pull/1111
 */
export function isBuiltIn(group: string): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}

/** Equal for all versions of a kind. */
export function kindKey({ group, kind }: Pick<OwnerKind, "group" | "kind">): string {
  return `${kind}.${group}`;
}
