import type { Controller } from "../../controller/index.ts";
import { type CronJob, resources } from "../../resources/index.ts";
import { cronJobOrder } from "../cronjob-order.ts";
import { jobsIn, within } from "./cached-kinds.ts";
import { type JudgeInterval, type JudgeOptions, judgingController } from "./judging-controller.ts";

/** Judges CronJobs: whenever one or a Job of it changes, and when its schedule falls due. */
export function cronJobsController(options: JudgeOptions): Controller<CronJob, JudgeInterval> {
  const { namespace } = options;
  const cronJobs = { resource: resources.cronJobs, scope: within(namespace) };
  return judgingController({ ...cronJobs, order: cronJobOrder, owns: [jobsIn(namespace)] }, options);
}
