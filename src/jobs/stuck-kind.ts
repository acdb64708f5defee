import type { DeepReadonly, Job, Pod } from "../resources/index.ts";
import { type AgeLimits, type Finding, findingOf, type Symptom, weigh } from "./finding.ts";

/** What is known of a Job beside the Job itself. */
export interface JobEvidence {
  /** The pods that the Job controls, deleted-but-not-gone ones included. */
  readonly pods: readonly DeepReadonly<Pod>[];
}

/** What a file in kinds/ declares. */
export interface StuckKindSpec {
  /** `S13`; one is never given out again. */
  readonly id: string;
  /** Kebab case, what people say: `image-cannot-be-pulled`. */
  readonly name: string;
  /** The signal in the API, one line. */
  readonly sees: string;
  /** What looks the same and is healthy, and how it is told apart, one line. */
  readonly lookAlike: string;
  /** Default ages; ours unless `source` says otherwise. */
  readonly limits: AgeLimits;
  /** Public reports and rules that the kind rests on. */
  readonly source: readonly string[];
  /** The closed set that `Symptom.reason` comes from. */
  readonly reasons: readonly string[];
  /** Pure. `now` is wall time in milliseconds. */
  look(job: DeepReadonly<Job>, evidence: JobEvidence, now: number): Symptom | undefined;
  /** When time alone, without any event, could make `look` see something; undefined: never. */
  startsAt?(job: DeepReadonly<Job>): number | undefined;
}

/** One way in which a Job is stuck. */
export interface StuckKind extends StuckKindSpec {
  /** Pure: what this kind alone says of a Job. One Job has one reason only after the decision order (`verdictOn`). */
  judge(job: DeepReadonly<Job>, evidence: JobEvidence, now: number, limits?: AgeLimits): Finding | undefined;
}

export function stuckKind(spec: StuckKindSpec): StuckKind {
  return {
    ...spec,
    judge(job, evidence, now, limits = spec.limits) {
      const symptom = spec.look(job, evidence, now);
      // A time that cannot be read is no time: such an object comes from a file, never from the API server.
      if (!symptom || Number.isNaN(symptom.sinceMs)) return undefined;
      return findingOf(spec, job, symptom, weigh(symptom.sinceMs, now, limits));
    },
  };
}
