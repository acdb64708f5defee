import { type ObjectReference, objectReferenceShape } from "./cronjob.ts";
import { objectMetaShape } from "./meta-shape.ts";
import type { ObjectMeta, Time } from "./meta.ts";
import { int, message, microTime, type Shape, shape, string, struct, time } from "./shape.ts";

/** A core/v1 Event: something that happened to an object, told by whoever did it. */
export interface Event {
  metadata: ObjectMeta;
  involvedObject?: ObjectReference;
  reason?: string;
  message?: string;
  firstTimestamp?: Time;
  lastTimestamp?: Time;
  count?: number;
  /** Normal or Warning. */
  type?: string;
  eventTime?: Time;
  series?: EventSeries;
  reportingComponent?: string;
}

export interface EventSeries {
  count?: number;
  lastObservedTime?: Time;
}

/** Field numbers: k8s.io/api core/v1 generated.proto. */
export const eventShape: Shape<Event> = shape<Event>({
  metadata: message(1, objectMetaShape),
  involvedObject: struct(2, objectReferenceShape),
  reason: string(3),
  message: string(4),
  firstTimestamp: time(6),
  lastTimestamp: time(7),
  count: int(8),
  type: string(9),
  eventTime: microTime(10),
  series: message(11, shape<EventSeries>({ count: int(1), lastObservedTime: microTime(2) })),
  reportingComponent: string(14),
});
