import { compareText } from "../../base/index.ts";
import { type DeepReadonly, isFinishedJob, type Job, resources } from "../../resources/index.ts";
import type { World } from "../world.ts";
import type { Parent } from "./parent.ts";
import type { ParentRules } from "./parent-rules.ts";

/** Longer names are hashed before they become a label's value; such a parent is joined by owner references alone. */
const LONGEST_LABEL = 63;

/** The parent's Jobs, the newest first. Undefined: not known. */
export function jobsOfParent(
  { metadata }: DeepReadonly<Parent>,
  { resource, jobs: join }: ParentRules,
  world: World,
): readonly DeepReadonly<Job>[] | undefined {
  const owned = world.jobsOf(metadata.uid);
  const { kindLabel, nameLabel } = join;
  if (nameLabel === undefined || metadata.name.length > LONGEST_LABEL) return owned.toSorted(newestFirst);
  const labelled = world.byLabel(resources.jobs, metadata.namespace ?? "", nameLabel, metadata.name);
  if (!labelled) return undefined;
  const ofKind = labelled.filter(({ metadata: { labels } }) => {
    return kindLabel === undefined || labels?.[kindLabel] === resource.kind;
  });
  return [...new Map([...owned, ...ofKind].map((job) => [job.metadata.uid, job])).values()].toSorted(newestFirst);
}

/** The namespace and name of the parent that a Job's labels name, for whoever wants to judge it when the Job changes. */
export function parentOfJob(
  job: DeepReadonly<Job>,
  { resource, jobs: { kindLabel, nameLabel } }: ParentRules,
): { readonly namespace?: string; readonly name: string } | undefined {
  const { labels, namespace } = job.metadata;
  const name = nameLabel === undefined ? undefined : labels?.[nameLabel];
  if (name === undefined || (kindLabel !== undefined && labels?.[kindLabel] !== resource.kind)) return undefined;
  return { ...(resource.namespaced && namespace !== undefined ? { namespace } : {}), name };
}

/** Whether the Job does one of these ops. A Job without the label tells it by its name. */
export function doesOneOf(job: DeepReadonly<Job>, ops: readonly string[], { jobs: { opLabel } }: ParentRules): boolean {
  const { labels, name } = job.metadata;
  if (opLabel !== undefined) return ops.includes(labels?.[opLabel] ?? "");
  return name.split(/[-.]/).some((word) => ops.includes(word));
}

export function isRunning(job: DeepReadonly<Job>): boolean {
  return !isFinishedJob(job);
}

function newestFirst({ metadata: a }: DeepReadonly<Job>, { metadata: b }: DeepReadonly<Job>): number {
  return made(b.creationTimestamp) - made(a.creationTimestamp) || compareText(b.name, a.name);
}

function made(time = ""): number {
  return Date.parse(time) || 0;
}
