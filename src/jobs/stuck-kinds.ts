import { jobOrder } from "./job-order.ts";
import type { KindPage } from "./stuck-kind.ts";

/** Every kind, in the order in which they are asked. */
export const stuckKinds: readonly KindPage[] = jobOrder.flatMap(({ kinds }) => kinds);
