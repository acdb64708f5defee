import type { CronJob } from "../resources/index.ts";
import type { Stage } from "./decision-order.ts";
import { isDeleting } from "./job-state.ts";
import { pileUp } from "./kinds/s31-pile-up.ts";
import { forbidBlocked } from "./kinds/s32-forbid-blocked.ts";
import { ghostInActive } from "./kinds/s33-ghost-in-active.ts";
import { tooManyMissed } from "./kinds/s34-too-many-missed.ts";
import { cronJobNeverFires } from "./kinds/s35-cronjob-never-fires.ts";

/** A ghost explains why nothing starts, and so does an active run; that nothing starts is only said when neither does. */
export const cronJobOrder: readonly Stage<CronJob>[] = [
  { stage: "being deleted", holds: isDeleting, kinds: [], final: true },
  { stage: "counts runs that are over", holds: () => true, kinds: [ghostInActive], final: false },
  { stage: "has too many Jobs", holds: () => true, kinds: [pileUp], final: false },
  { stage: "suspended", holds: ({ spec }) => spec.suspend === true, kinds: [], final: true },
  {
    stage: "starts nothing",
    holds: () => true,
    kinds: [forbidBlocked, tooManyMissed, cronJobNeverFires],
    final: false,
  },
];
