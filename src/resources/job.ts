import { conditionShape, objectMetaShape } from "./meta-shape.ts";
import type { Condition, ObjectMeta, Time } from "./meta.ts";
import {
  int,
  message,
  messages,
  optionalBool,
  optionalInt,
  optionalString,
  required,
  shape,
  type Shape,
  string,
  strings,
  time,
} from "./shape.ts";

/** On each pod of a Job, its name: https://kubernetes.io/docs/reference/labels-annotations-taints/#batchkubernetesio-job-name */
export const JOB_NAME_LABEL = "batch.kubernetes.io/job-name";

/** What is kept of a batch/v1 Job: never the pod template. A count that is zero is absent. */
export interface Job {
  metadata: ObjectMeta;
  spec: JobSpec;
  status: JobStatus;
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  managedBy?: string;
  /** Present means set; its rules are not kept. */
  podFailurePolicy?: Record<never, never>;
}

export interface JobStatus {
  conditions?: Condition[];
  startTime?: Time;
  completionTime?: Time;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  ready?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: UncountedTerminatedPods;
}

interface UncountedTerminatedPods {
  succeeded?: string[];
  failed?: string[];
}

/** Field numbers: k8s.io/api batch/v1 generated.proto. */
export const jobShape: Shape<Job> = shape<Job>({
  metadata: message(1, objectMetaShape),
  spec: required(
    2,
    shape<JobSpec>({
      parallelism: optionalInt(1),
      completions: optionalInt(2),
      activeDeadlineSeconds: optionalInt(3),
      backoffLimit: optionalInt(7),
      backoffLimitPerIndex: optionalInt(12),
      maxFailedIndexes: optionalInt(13),
      ttlSecondsAfterFinished: optionalInt(8),
      completionMode: optionalString(9),
      suspend: optionalBool(10),
      podReplacementPolicy: optionalString(14),
      managedBy: optionalString(15),
      podFailurePolicy: message(11, shape<Record<never, never>>({})),
    }),
  ),
  status: required(
    3,
    shape<JobStatus>({
      conditions: messages(1, conditionShape),
      startTime: time(2),
      completionTime: time(3),
      active: int(4),
      succeeded: int(5),
      failed: int(6),
      terminating: optionalInt(11),
      ready: optionalInt(9),
      completedIndexes: string(7),
      failedIndexes: optionalString(10),
      uncountedTerminatedPods: message(
        8,
        shape<UncountedTerminatedPods>({ succeeded: strings(1), failed: strings(2) }),
      ),
    }),
  ),
});
