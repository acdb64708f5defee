import type { DeepReadonly, Draft, Job } from "stalewatch";
import {
  INPUTS,
  inputsOf,
  type JobNote,
  MANAGED,
  NUMBER,
  OP,
  type Op,
  type PastJob,
  type Run,
  RUN,
} from "./terraform-run.ts";

/** No Job runs for longer. */
const DEADLINE_SECONDS = 3_600;
/** A lease outlives its holder's deadline by what its pods may take to stop. */
export const LEASE_SECONDS: number = DEADLINE_SECONDS + 900;

/** Unique among all Jobs that ever were, and no longer than 63 characters: crd.yaml lets names of runs have 36. */
export function jobName({ metadata }: Run, op: Op, number: number): string {
  return `${metadata.name}-${op}-${number}-${metadata.uid.slice(0, 8)}`;
}

export function jobFor(run: Run, op: Op, number: number): Draft {
  const { image, variables = {} } = run.spec;
  const env = Object.entries(variables).map(([name, value]) => ({ name: `TF_VAR_${name}`, value }));
  const containers = [{ name: "terraform", image, args: [op], env }];
  return {
    metadata: {
      name: jobName(run, op, number),
      labels: { [MANAGED]: "true", [RUN]: run.metadata.name, [OP]: op, [NUMBER]: String(number) },
      annotations: { [INPUTS]: inputsOf(run) },
    },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      ttlSecondsAfterFinished: 86_400,
      template: { spec: { restartPolicy: "Never", containers } },
    },
  };
}

/** What a Job says about itself. */
export function noteOf({ metadata: { name, labels = {}, annotations = {} } }: DeepReadonly<Job>): JobNote {
  return { name, number: Number(labels[NUMBER]), op: labels[OP] as Op, inputs: annotations[INPUTS] ?? "" };
}

/** What is to be remembered of a Job that has ended; undefined while it runs. */
export function pastJob(job: DeepReadonly<Job>): PastJob | undefined {
  const ended = job.status.conditions?.find(
    ({ type, status }) => status === "True" && /^(Complete|Failed)$/.test(type),
  );
  if (!ended?.lastTransitionTime) return undefined;
  const outcome = ended.type === "Complete" ? "succeeded" : "failed";
  return { ...noteOf(job), outcome, finishedAt: ended.lastTransitionTime };
}
