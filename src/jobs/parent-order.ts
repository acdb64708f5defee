import type { Stage } from "./decision-order.ts";
import { isDeleting } from "./job-state.ts";
import { resultLost } from "./kinds/s30-result-lost.ts";
import { parentWaits } from "./kinds/s09-parent-waits.ts";
import { parentScheduleOverdue } from "./kinds/s35-parent-schedule-overdue.ts";
import { parentContradictsJob } from "./kinds/s36-parent-contradicts-job.ts";
import { deletionWaitsForDestroy } from "./kinds/s37-deletion-waits-for-destroy.ts";
import { lockedParent } from "./kinds/s38-locked-parent.ts";
import { oldNameBlocks } from "./kinds/s39-old-name-blocks.ts";
import type { ParentRules } from "./parents/parent-rules.ts";
import type { Parent } from "./parents/parent.ts";

/** For the objects of the one kind that the rules are about. */
export function parentOrder(rules: ParentRules): readonly Stage<Parent>[] {
  return [
    { stage: "cannot get at its state", holds: () => true, kinds: [lockedParent(rules)], final: false },
    { stage: "being deleted", holds: isDeleting, kinds: [deletionWaitsForDestroy(rules)], final: true },
    { stage: "waits for a run", holds: () => true, kinds: [resultLost(rules)], final: false },
    { stage: "wants a new run", holds: () => true, kinds: [oldNameBlocks(rules)], final: false },
    { stage: "says what is not so", holds: () => true, kinds: [parentContradictsJob(rules)], final: false },
    { stage: "keeps a schedule", holds: () => true, kinds: [parentScheduleOverdue(rules)], final: false },
    { stage: "waits", holds: () => true, kinds: [parentWaits(rules)], final: false },
  ];
}
