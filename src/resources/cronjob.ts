import { objectMetaShape } from "./meta-shape.ts";
import type { ObjectMeta, Time } from "./meta.ts";
import {
  message,
  messages,
  optionalBool,
  optionalInt,
  optionalString,
  required,
  shape,
  type Shape,
  string,
  time,
} from "./shape.ts";

/** What is kept of a batch/v1 CronJob: never the Job template. */
export interface CronJob {
  metadata: ObjectMeta;
  spec: CronJobSpec;
  status: CronJobStatus;
}

export interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: string;
  suspend?: boolean;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: Time;
  lastSuccessfulTime?: Time;
}

/** A pointer at another object, as statuses and events carry it. */
export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

export const objectReferenceShape: Shape<ObjectReference> = shape<ObjectReference>({
  kind: string(1),
  namespace: string(2),
  name: string(3),
  uid: string(4),
  apiVersion: string(5),
  resourceVersion: string(6),
  fieldPath: string(7),
});

/** Field numbers: k8s.io/api batch/v1 generated.proto. */
export const cronJobShape: Shape<CronJob> = shape<CronJob>({
  metadata: message(1, objectMetaShape),
  spec: required(
    2,
    shape<CronJobSpec>({
      schedule: string(1),
      timeZone: optionalString(8),
      startingDeadlineSeconds: optionalInt(2),
      concurrencyPolicy: string(3),
      suspend: optionalBool(4),
      successfulJobsHistoryLimit: optionalInt(6),
      failedJobsHistoryLimit: optionalInt(7),
    }),
  ),
  status: required(
    3,
    shape<CronJobStatus>({
      active: messages(1, objectReferenceShape),
      lastScheduleTime: time(4),
      lastSuccessfulTime: time(5),
    }),
  ),
});
