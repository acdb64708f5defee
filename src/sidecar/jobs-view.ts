import type { Informer } from "../cache/index.ts";
import type { JobsAnswer } from "../http/index.ts";
import { type EvidenceReader, type Findings, groupsOf, type OwnerKinds } from "../jobs/index.ts";
import { HEARTBEAT_MARK } from "../resources/index.ts";

export interface JobsSources {
  readonly findings: Findings | undefined;
  readonly evidence: EvidenceReader | undefined;
  /** Those that look for more kinds to judge. */
  readonly owners: readonly OwnerKinds[];
  /** Those that judges look into. */
  readonly informers: Iterable<Informer>;
}

/** What is known of Jobs and everything about them, as /api/v1/jobs tells it. */
export function jobsView(
  { findings, evidence, owners, informers }: JobsSources,
  now: number,
  all: boolean,
): Omit<JobsAnswer, "at"> {
  const objects: Record<string, number> = { jobs: 0, pods: 0 };
  for (const informer of informers) {
    // What is only there to be measured with is nobody's.
    const own = informer.lister.byLabel(HEARTBEAT_MARK, "true").length;
    const { resource } = informer.resource;
    objects[resource] = (objects[resource] ?? 0) + informer.status().objects - own;
  }
  const known = findings?.list(now, { all: true }) ?? [];
  const listed = known.filter(({ state }) => state !== "watching");
  const jobs = listed.filter(({ object }) => object.kind === "Job").length;
  return {
    objects,
    healthy: Math.max(0, (objects["jobs"] ?? 0) - jobs),
    findings: all ? known : listed,
    groups: groupsOf(known),
    notes: [...(evidence?.notes() ?? []), ...owners.flatMap((finder) => finder.notes())],
  };
}
