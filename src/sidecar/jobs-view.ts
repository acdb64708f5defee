import type { Informer } from "../cache/index.ts";
import type { JobsAnswer } from "../http/index.ts";
import { type EvidenceReader, type Findings, groupsOf, ObjectCounts, type OwnerKinds } from "../jobs/index.ts";
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
  const counts = new ObjectCounts();
  for (const informer of informers) {
    // What is only there to be measured with is nobody's.
    const own = informer.lister.byLabel(HEARTBEAT_MARK, "true").length;
    counts.add(informer.resource, informer.status().objects - own);
  }
  const known = findings?.list(now, { all: true }) ?? [];
  return {
    objects: counts.byPlural(),
    healthy: counts.healthyJobs(known),
    findings: all ? known : known.filter(({ state }) => state !== "watching"),
    groups: groupsOf(known),
    notes: [...(evidence?.notes() ?? []), ...owners.flatMap((finder) => finder.notes())],
  };
}
