import type { Condition, ObjectMeta, OwnerReference } from "./meta.ts";
import { int, map, messages, optionalBool, optionalInt, type Shape, shape, string, strings, time } from "./shape.ts";

const ownerReferenceShape: Shape<OwnerReference> = shape<OwnerReference>({
  apiVersion: string(5),
  kind: string(1),
  name: string(3),
  uid: string(4),
  controller: optionalBool(6),
  blockOwnerDeletion: optionalBool(7),
});

/** A copy of the whole object that kubectl keeps in an annotation: large, and nobody here reads it. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** ObjectMeta of k8s.io/apimachinery, without managedFields and selfLink. */
export const objectMetaShape: Shape<ObjectMeta> = shape<ObjectMeta>({
  name: string(1),
  generateName: string(2),
  namespace: string(3),
  uid: string(5),
  resourceVersion: string(6),
  generation: int(7),
  creationTimestamp: time(8),
  deletionTimestamp: time(9),
  deletionGracePeriodSeconds: optionalInt(10),
  labels: map(11),
  annotations: map(12, [LAST_APPLIED]),
  ownerReferences: messages(13, ownerReferenceShape),
  finalizers: strings(14),
});

/** JobCondition and PodCondition number these five fields alike. */
export const conditionShape: Shape<Condition> = shape<Condition>({
  type: string(1),
  status: string(2),
  lastTransitionTime: time(4),
  reason: string(5),
  message: string(6),
});
