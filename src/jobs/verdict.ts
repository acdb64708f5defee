import type { DeepReadonly, Job } from "../resources/index.ts";
import { decisionOrder } from "./decision-order.ts";
import { type AgeLimits, type Finding, nextLimitAt } from "./finding.ts";
import type { JobEvidence, StuckKind } from "./stuck-kind.ts";

/** Ages that differ from a kind's own, by its id. */
export type LimitOverrides = Readonly<Record<string, AgeLimits>>;

export interface Verdict {
  /** Undefined: healthy. */
  readonly finding: Finding | undefined;
  /** Wall time at which time alone may change the verdict; undefined: only an event can. */
  readonly dueAt: number | undefined;
}

export function limitsOf(kind: Pick<StuckKind, "id" | "limits">, overrides: LimitOverrides = {}): AgeLimits {
  return overrides[kind.id] ?? kind.limits;
}

/**
 * The one reason why a Job is stuck, by the decision order. Pure: ages come from API timestamps, so a restart of whoever asks
 * changes nothing.
 */
export function verdictOn(
  job: DeepReadonly<Job>,
  evidence: JobEvidence,
  now: number,
  overrides: LimitOverrides = {},
): Verdict {
  const asked = kindsFor(job, evidence);
  for (const kind of asked) {
    const limits = limitsOf(kind, overrides);
    const finding = kind.judge(job, evidence, now, limits);
    if (finding) return { finding, dueAt: nextLimitAt(Date.parse(finding.since), now, limits) };
  }
  const starts = asked.map((kind) => kind.startsAt?.(job)).filter((at) => at !== undefined && at > now);
  return { finding: undefined, dueAt: starts.length > 0 ? Math.min(...(starts as number[])) : undefined };
}

function kindsFor(job: DeepReadonly<Job>, evidence: JobEvidence): readonly StuckKind[] {
  const kinds: StuckKind[] = [];
  for (const stage of decisionOrder) {
    if (!stage.holds(job, evidence)) continue;
    kinds.push(...stage.kinds);
    if (stage.final) break;
  }
  return kinds;
}
