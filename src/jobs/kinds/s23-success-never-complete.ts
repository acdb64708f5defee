import type { Job } from "../../resources/index.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { endingKind } from "../unfinished-ending.ts";

export const successNeverComplete: StuckKind<Job> = {
  id: "S23",
  name: "success-never-complete",
  ...endingKind({ interim: "SuccessCriteriaMet", terminal: "Complete" }),
  means:
    "The Job has succeeded, but that is written only when none of its pods is ending any more and all are counted. Until then whoever waits for it goes on waiting.",
  source: ["https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/job/job_controller.go"],
};
