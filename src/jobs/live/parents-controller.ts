import { type Controller, defineWatch } from "../../controller/index.ts";
import type { Job } from "../../resources/index.ts";
import { parentOrder } from "../parent-order.ts";
import { parentOfJob } from "../parents/parent-jobs.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import { type Parent, parentResource } from "../parents/parent.ts";
import { jobsIn, within } from "./cached-kinds.ts";
import { type JudgeInterval, type JudgeOptions, judgingController } from "./judging-controller.ts";

/** Judges the objects of one kind that gets its work done by Jobs: whenever one, or a Job that it owns or that names it, changes. */
export function parentsController(rules: ParentRules, options: JudgeOptions): Controller<Parent, JudgeInterval> {
  const { namespace } = options;
  const jobs = jobsIn(namespace);
  const namedBy = defineWatch<Job>(jobs, (job) => {
    const parent = parentOfJob(job, rules);
    return parent ? [parent] : [];
  });
  return judgingController(
    {
      resource: parentResource(rules),
      scope: rules.resource.namespaced ? within(namespace) : {},
      order: parentOrder(rules),
      owns: [jobs],
      watches: [namedBy],
    },
    options,
  );
}
