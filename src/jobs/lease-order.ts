import { isHeartbeat, type Lease } from "../resources/index.ts";
import type { Stage } from "./decision-order.ts";
import { isDeleting } from "./job-state.ts";
import { leaseOfTheDead } from "./kinds/s38-lease-of-the-dead.ts";

export const leaseOrder: readonly Stage<Lease>[] = [
  { stage: "being deleted", holds: isDeleting, kinds: [], final: true },
  { stage: "ours, to measure with", holds: isHeartbeat, kinds: [], final: true },
  { stage: "held", holds: () => true, kinds: [leaseOfTheDead], final: false },
];
