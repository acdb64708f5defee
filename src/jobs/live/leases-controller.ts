import type { Controller } from "../../controller/index.ts";
import type { Scope } from "../../kube/index.ts";
import { type Lease, resources } from "../../resources/index.ts";
import { NODE_LEASES } from "../lease-class.ts";
import { leaseOrder } from "../lease-order.ts";
import { jobsIn, podsOfJobsIn, within } from "./cached-kinds.ts";
import { type JudgeInterval, type JudgeOptions, judgingController } from "./judging-controller.ts";

const WITHOUT_NODES: Scope = { fieldSelector: `metadata.namespace!=${NODE_LEASES}` };

/** Judges leases: whenever one, or the Job or pod that holds it, changes. */
export function leasesController(options: JudgeOptions): Controller<Lease, JudgeInterval> {
  const { namespace } = options;
  const scope = namespace === undefined ? WITHOUT_NODES : within(namespace);
  const follows = [jobsIn(namespace), podsOfJobsIn(namespace)];
  return judgingController({ resource: resources.leases, scope, order: leaseOrder, follows }, options);
}
