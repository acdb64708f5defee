import { type Controller, defineWatch } from "../../controller/index.ts";
import { controllerOf, type DeepReadonly, type Job, type ObjectRef, resources } from "../../resources/index.ts";
import { jobOrder } from "../job-order.ts";
import { hasSucceeded, isRunOfCronJob } from "../later-success.ts";
import { jobsIn, podsOfJobsIn } from "./cached-kinds.ts";
import { type JudgeInterval, type JudgeOptions, judgingController } from "./judging-controller.ts";

export interface JobsControllerOptions extends JudgeOptions {
  /** Told of each pass, as it begins, and the object as the cache had it. */
  onPass?: (job: DeepReadonly<Job>) => void;
}

/** Judges Jobs: whenever a Job or one of its pods changes, and when a later run of its CronJob succeeds. */
export function jobsController(options: JobsControllerOptions): Controller<Job, JudgeInterval> {
  const { namespace, findings, onPass } = options;
  const own = findings.of(resources.jobs);
  const stuckSiblingsOf = (job: DeepReadonly<Job>): readonly ObjectRef[] => {
    const owner = controllerOf(job);
    if (!owner || !hasSucceeded(job) || !isRunOfCronJob(job)) return [];
    return [...own.ofOwner(job.metadata.namespace ?? "", owner)].map(({ object }) => object);
  };
  const source = jobsIn(namespace);
  return judgingController(
    {
      ...source,
      order: jobOrder,
      owns: [podsOfJobsIn(namespace)],
      watches: [defineWatch(source, stuckSiblingsOf)],
      onPass,
    },
    options,
  );
}
