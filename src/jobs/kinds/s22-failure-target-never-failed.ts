import type { Job } from "../../resources/index.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { endingKind } from "../unfinished-ending.ts";

export const failureTargetNeverFailed: StuckKind<Job> = {
  id: "S22",
  name: "failure-target-never-failed",
  ...endingKind({ interim: "FailureTarget", terminal: "Failed" }),
  means:
    "The Job has failed, but that is written only when none of its pods is ending any more and all are counted. Until then whoever waits for the Failed condition, alerts included, sees a running Job.",
  source: [
    "https://github.com/kubernetes/kubernetes/issues/125909",
    "https://github.com/karmada-io/karmada/issues/7844",
  ],
};
