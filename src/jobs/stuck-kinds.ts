import { cronJobOrder } from "./cronjob-order.ts";
import { jobOrder } from "./job-order.ts";
import { leaseOrder } from "./lease-order.ts";
import { parentOrder } from "./parent-order.ts";
import { captfParents } from "./parents/parent-presets.ts";
import { podOrder } from "./pod-order.ts";
import type { KindPage } from "./stuck-kind.ts";
import { workloadOrder } from "./workload-order.ts";

const pages: readonly KindPage[] = [
  ...jobOrder,
  ...podOrder,
  ...workloadOrder,
  ...cronJobOrder,
  ...leaseOrder,
  // The same for every kind of parent.
  ...captfParents.flatMap(parentOrder),
].flatMap<KindPage>(({ kinds }) => kinds);

/** Every kind once, in the order in which they are asked: some are seen from a Job and from a pod of its own. */
export const stuckKinds: readonly KindPage[] = [...new Map(pages.map((page) => [page.id, page])).values()];
