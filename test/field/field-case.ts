import type { LimitRules, ParentRules } from "../../src/jobs/index.ts";
import type { Tape } from "./tape.ts";

/** One public report, retold as what the watches of that cluster would have brought. Times are seconds from its start. */
export interface FieldCase {
  /** a: stuck Jobs; b: caches; d: leaders and locks; e: alerts. Then a number. */
  readonly id: string;
  readonly url: string;
  /** What the report tells, in a sentence. */
  readonly symptom: string;
  /** The healthy look-alike, and in what it differs. */
  readonly twin: string;
  /** Where the retelling is smaller than, or other than, the report. */
  readonly retold?: string;
  /** How the kinds of its parents are read. */
  readonly parents?: readonly ParentRules[];
  readonly limits?: LimitRules;
  tell(tape: Tape, healthy: boolean): void;
  readonly end: number;
  /** Where the look-alike would be too long to tell to the same end. */
  readonly twinEnd?: number;
  /** Somebody who begins to watch only here must come to the same verdicts. */
  readonly restartAt: number;
  readonly verdicts: readonly ExpectedVerdict[];
}

/** Everything that must be found at a time: no more and no less. */
export interface ExpectedVerdict {
  readonly at: number;
  readonly findings: readonly ExpectedFinding[];
}

export interface ExpectedFinding {
  readonly kind: string;
  /** `Job/export-1`. */
  readonly object: string;
  /** `CronJob/export`; the object itself unless given. */
  readonly owner?: string;
  readonly since: number;
  /** The API has no time of it, so that it counts from its first sight. */
  readonly observed?: true;
  readonly severity: "info" | "warning" | "critical";
  readonly reason?: string;
}
