import { formatDuration } from "../../base/index.ts";
import type { KindRules } from "../storage/kind.ts";
import { defaults, fieldsOf, itemsOf, mapAt, required, textOf } from "./fields.ts";
import { defaultJobSpec, validateJobSpec } from "./job-rules.ts";

export const cronJobRules: KindRules = {
  prepareCreate(cronJob) {
    const spec = mapAt(cronJob, "spec");
    defaults(spec, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const jobSpec = mapAt(mapAt(spec, "jobTemplate"), "spec");
    const before = { ...jobSpec };
    defaultJobSpec(jobSpec);
    // Only the pod template is defaulted here; the limits are left to the Jobs that will be made.
    for (const key of Object.keys(jobSpec)) if (key !== "template" && !(key in before)) delete jobSpec[key];
  },
  validate(cronJob) {
    const spec = fieldsOf(cronJob["spec"]);
    const causes = textOf(spec["schedule"]) === "" ? [required("spec.schedule")] : [];
    return [...causes, ...validateJobSpec(fieldsOf(fieldsOf(spec["jobTemplate"])["spec"]), "spec.jobTemplate.spec")];
  },
  columns: [
    { name: "Schedule", cell: (cronJob) => textOf(fieldsOf(cronJob["spec"])["schedule"]) },
    { name: "Timezone", cell: (cronJob) => textOf(fieldsOf(cronJob["spec"])["timeZone"]) || "<none>" },
    { name: "Suspend", cell: (cronJob) => (fieldsOf(cronJob["spec"])["suspend"] === true ? "True" : "False") },
    { name: "Active", cell: (cronJob) => itemsOf(fieldsOf(cronJob["status"])["active"]).length },
    {
      name: "Last Schedule",
      cell(cronJob, now) {
        const last = textOf(fieldsOf(cronJob["status"])["lastScheduleTime"]);
        return last ? formatDuration(now - Date.parse(last)) : "<none>";
      },
    },
  ],
};
