import type { Stage } from "./decision-order.ts";
import type { Workload } from "./evidence-kinds.ts";
import { quotaHeldByGhost } from "./kinds/s10-quota-held-by-ghost.ts";

/** For Kueue's Workloads, where somebody has them: a file, or a cache. */
export const workloadOrder: readonly Stage<Workload>[] = [
  { stage: "holds quota", holds: () => true, kinds: [quotaHeldByGhost], final: true },
];
