import type { DeepReadonly, Job } from "../../resources/index.ts";
import { evidenceKinds } from "../evidence-kinds.ts";
import { conditionOf, finishedSince } from "../job-state.ts";
import { doesOneOf, isRunning, jobsOfParent } from "../parents/parent-jobs.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import { type Parent, waitLines } from "../parents/parent.ts";
import { latestOf, type Since, sinceOf } from "../since.ts";
import type { KindPage, StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

const page: KindPage = {
  id: "S37",
  name: "deletion-waits-for-destroy",
  sees: "a parent has a deletionTimestamp and a finalizer, and its destroy Job has failed, does not exist, or cannot be created because the namespace is being deleted",
  lookAlike: "a destroy Job that runs; a parent whose finalizer goes with the Job's success",
  means:
    "The controller keeps its finalizer until a Job has taken down what the object stands for. That Job will not succeed by itself, so the object stays, and with it whatever waits for its deletion.",
  remedy: [
    "Read the log of the failed destroy Job and correct what it needs: credentials, the state, its image.",
    "In a namespace that is being deleted nothing can be created any more: the resources have to be taken down by hand.",
    "Only when nothing is left behind (or it may be), take the finalizer out.",
  ],
  limits: { warningMs: 15 * 60_000, criticalMs: 2 * 3_600_000 },
  source: [
    "https://github.com/GalleyBytes/terraform-operator/issues/104",
    "https://github.com/ray-project/kuberay/issues/3388",
    "https://github.com/pingcap/tidb-operator/issues/2888",
    "https://github.com/kubevela/terraform-controller/issues/169",
    "https://github.com/hashicorp/terraform-k8s/issues/17",
  ],
  reasons: ["DestroyFailed", "DestroyedButKept", "NoDestroyJob", "NamespaceTerminating"],
};

interface Cause extends Since {
  readonly reason: string;
  readonly why: string;
}

export function deletionWaitsForDestroy(rules: ParentRules): StuckKind<Parent> {
  return {
    ...page,
    look(parent, world) {
      const deleted = sinceOf(parent.metadata.deletionTimestamp, "metadata.deletionTimestamp");
      const kept = parent.metadata.finalizers?.filter((name) => isDestroyFinalizer(name, rules)) ?? [];
      const jobs = deleted && kept.length > 0 ? jobsOfParent(parent, rules, world) : undefined;
      // Of a parent without any Job nobody can say that its finalizer waits for one, unless the rules do.
      if (!deleted || !jobs || (jobs.length === 0 && rules.finalizers === undefined)) return undefined;
      const destroy = jobs.filter((job) => isDestroyJob(job, deleted, rules));
      if (destroy.some(isRunning)) return undefined;
      const cause = destroy[0] ? ended(destroy[0], deleted) : absent(parent, deleted, world);
      if (!cause) return undefined;
      const { namespace = "", name } = parent.metadata;
      const { kind, resource } = rules.resource;
      return {
        reason: cause.reason,
        sinceMs: cause.sinceMs,
        sinceSource: cause.sinceSource,
        message: `${nameOf(kind, parent)} is being deleted and kept by finalizer ${quoted(kept[0])}: ${cause.why}`,
        evidence: [
          `${nameOf(kind, parent)}: deletionTimestamp ${parent.metadata.deletionTimestamp}, finalizers ${quoted(kept.join(", "))}`,
          ...waitLines(parent, rules),
          ...jobs
            .filter(isRunning)
            .slice(0, 1)
            .map((job) => `${nameOf("Job", job)} has not finished`),
        ],
        next: [
          command`kubectl -n ${namespace} describe ${resource} ${name}`,
          ...destroy
            .slice(0, 1)
            .map((job) => command`kubectl -n ${namespace} logs ${`job/${job.metadata.name}`} --tail=50`),
        ],
        ...(cause.reason === "NamespaceTerminating" ? { cause: `namespace ${quoted(namespace)}` } : {}),
      };
    },
  };
}

function isDestroyFinalizer(name: string, { finalizers }: ParentRules): boolean {
  return finalizers === undefined || finalizers.some((beginning) => name.startsWith(beginning));
}

/** Where Jobs do not say what they do, one that was made after the deletion began can do nothing else. */
function isDestroyJob(job: DeepReadonly<Job>, deleted: Since, rules: ParentRules): boolean {
  if (doesOneOf(job, rules.jobs.destroyOps, rules)) return true;
  return rules.jobs.opLabel === undefined && Date.parse(job.metadata.creationTimestamp ?? "") >= deleted.sinceMs;
}

function ended(job: DeepReadonly<Job>, deleted: Since): Cause | undefined {
  const isFailed = conditionOf(job, "Failed") !== undefined;
  const since = latestOf(finishedSince(job), deleted);
  if (!since) return undefined;
  return isFailed
    ? { ...since, reason: "DestroyFailed", why: `its destroy Job, ${nameOf("Job", job)}, has failed` }
    : { ...since, reason: "DestroyedButKept", why: `its destroy Job, ${nameOf("Job", job)}, is Complete` };
}

function absent({ metadata }: DeepReadonly<Parent>, deleted: Since, world: World): Cause {
  const { namespace } = metadata;
  const found = namespace === undefined ? null : world.find(evidenceKinds.namespaces, { name: namespace });
  const going = sinceOf(found?.metadata.deletionTimestamp, "Namespace metadata.deletionTimestamp");
  if (!going) return { ...deleted, reason: "NoDestroyJob", why: "there is no destroy Job" };
  return {
    ...(latestOf(going, deleted) ?? deleted),
    reason: "NamespaceTerminating",
    why: `no destroy Job can be created, since namespace ${quoted(namespace)} is being deleted too`,
  };
}
