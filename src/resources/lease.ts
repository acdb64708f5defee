import { objectMetaShape } from "./meta-shape.ts";
import type { ObjectMeta, Time } from "./meta.ts";
import { message, microTime, optionalInt, optionalString, required, shape, type Shape } from "./shape.ts";

export interface Lease {
  metadata: ObjectMeta;
  spec: LeaseSpec;
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: Time;
  renewTime?: Time;
  leaseTransitions?: number;
}

/** Field numbers: k8s.io/api coordination/v1 generated.proto. */
export const leaseShape: Shape<Lease> = shape<Lease>({
  metadata: message(1, objectMetaShape),
  spec: required(
    2,
    shape<LeaseSpec>({
      holderIdentity: optionalString(1),
      leaseDurationSeconds: optionalInt(2),
      acquireTime: microTime(3),
      renewTime: microTime(4),
      leaseTransitions: optionalInt(5),
    }),
  ),
});
