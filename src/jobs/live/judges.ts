import type { Informer } from "../../cache/index.ts";
import type { ManagedController } from "../../controller/index.ts";
import { type DeepReadonly, type Job, type Resource, resources } from "../../resources/index.ts";
import { evidenceKinds } from "../evidence-kinds.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import { parentResource } from "../parents/parent.ts";
import { Caches } from "./caches.ts";
import { cronJobsController } from "./cronjobs-controller.ts";
import { jobsController } from "./jobs-controller.ts";
import type { JudgeOptions } from "./judging-controller.ts";
import { leasesController } from "./leases-controller.ts";
import { parentsController } from "./parents-controller.ts";
import { podsController } from "./pods-controller.ts";
import { workloadsController } from "./workloads-controller.ts";

export interface JudgesOptions extends Omit<JudgeOptions, "caches" | "name"> {
  /** The caches of the manager that runs them, once it has any. */
  informers: () => Iterable<Informer>;
  /** The name of the controller of a kind, its label in metrics; the kind's plural unless given. */
  nameOf?: (plural: string) => string;
  /** Further kinds whose work is done by Jobs; none unless given. */
  parents?: readonly ParentRules[];
  /** Told of each pass over a Job, as it begins, and the Job as the cache had it. */
  onPass?: (job: DeepReadonly<Job>) => void;
}

/** Kinds that are cached in any case. */
export const judgedKinds: readonly Resource[] = [resources.jobs, resources.pods, resources.cronJobs, resources.leases];

/** Kinds that are listed live, for what looks stuck. */
export const kindsOfEvidence: readonly Resource[] = [resources.events, evidenceKinds.nodes, evidenceKinds.namespaces];

/** Kinds that are judged where somebody has installed them. */
export function addedKinds(parents: readonly ParentRules[] = []): readonly Resource[] {
  return [evidenceKinds.workloads, ...parents.map(parentResource)] as readonly Resource[];
}

/** Controllers of one manager. */
export interface Judges {
  /** One for each kind of object that is judged. */
  readonly controllers: readonly ManagedController[];
  /** One for a kind that is found later to get its work done by Jobs. */
  ofParents(rules: ParentRules): ManagedController;
}

/** Plurals may be as long as names of controllers. */
const LEGAL_PART = /^[a-z][-a-z0-9]{0,39}$/;

/** All for one manager, whose `independent` lets the others go on where one kind may not be read. */
export function judges(options: JudgesOptions): Judges {
  const { informers, nameOf = (plural) => plural, parents = [], ...shared } = options;
  const caches = new Caches(informers);
  const named = (plural: string): JudgeOptions => ({ ...shared, caches, name: nameOf(plural) });
  const jobs = jobsController({ ...shared, ...named("jobs") });
  let count = 0;
  const ofParents = (rules: ParentRules): ManagedController => {
    // Two groups may have the same plural, and it may be that of a built-in kind.
    count += 1;
    const { resource } = rules.resource;
    return parentsController(rules, named(`parents-${count}${LEGAL_PART.test(resource) ? `-${resource}` : ""}`));
  };
  const controllers = [
    jobs,
    podsController(named("pods")),
    cronJobsController(named("cronjobs")),
    leasesController(named("leases")),
    workloadsController(named("workloads"), jobs),
    ...parents.map(ofParents),
  ];
  return { controllers, ofParents };
}
