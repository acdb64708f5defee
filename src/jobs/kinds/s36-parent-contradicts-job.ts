import { type DeepReadonly, type Job, resources } from "../../resources/index.ts";
import type { Symptom } from "../finding.ts";
import { conditionOf, finishedSince } from "../job-state.ts";
import { doesOneOf, isRunning, jobsOfParent } from "../parents/parent-jobs.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import {
  conditionSince,
  conditionsOf,
  isBehind,
  type Parent,
  type Standing,
  standingOf,
  textAt,
  waitLines,
} from "../parents/parent.ts";
import { latestOf, type Since } from "../since.ts";
import type { KindPage, StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

const page: KindPage = {
  id: "S36",
  name: "parent-contradicts-job",
  sees: "a parent says that it works or is at work while its newest Job has failed, still works or has failed while that Job is Complete, counts a Job as active that has ended, or has conditions that exclude each other",
  lookAlike:
    "a parent whose observedGeneration is behind; a newer Job that runs; an older failure that a newer success has made up for; a status that changed after the Job's end",
  means:
    "The controller of the parent has missed the end of its Job: it lost the event, died between two writes, or does not look at failed Jobs at all. Whoever waits for the parent waits for something that will not change.",
  remedy: [
    "Read the log of the parent's controller about this object.",
    "Any change of the parent, such as an annotation, makes its controller look again.",
    "If the Job has failed, its log says why; the parent's spec or the Job's image needs the correction.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: [
    "https://github.com/kubevela/terraform-controller/issues/383",
    "https://github.com/kubevela/terraform-controller/issues/126",
    "https://github.com/kubeflow/spark-operator/pull/2932",
    "https://github.com/devantler-tech/platform/issues/2820",
    "https://github.com/fluxcd/kustomize-controller/issues/686",
  ],
  reasons: [
    "ReadyButJobFailed",
    "WorkingButJobFailed",
    "WorkingButJobComplete",
    "FailedButJobComplete",
    "ActiveJobEnded",
    "ConditionsDisagree",
  ],
};

/** What is said against what is. */
interface Contradiction extends Since {
  readonly reason: string;
  readonly says: string;
  readonly but: string;
  readonly job?: DeepReadonly<Job>;
}

export function parentContradictsJob(rules: ParentRules): StuckKind<Parent> {
  return {
    ...page,
    look(parent, world) {
      if (isBehind(parent)) return undefined;
      const found =
        activeButEnded(parent, rules, world) ?? otherThanJob(parent, rules, world) ?? disagreeing(parent, rules);
      return found && symptomOf(parent, rules, found);
    },
  };
}

function symptomOf(parent: DeepReadonly<Parent>, rules: ParentRules, found: Contradiction): Symptom {
  const { namespace = "", name } = parent.metadata;
  const { kind, resource } = rules.resource;
  return {
    reason: found.reason,
    sinceMs: found.sinceMs,
    sinceSource: found.sinceSource,
    message: `${nameOf(kind, parent)} says ${quoted(found.says)}, but ${found.but}`,
    evidence: [
      `${nameOf(kind, parent)}: ${quoted(found.says)}, generation ${parent.metadata.generation ?? "not set"}`,
      ...waitLines(parent, rules),
    ],
    next: [
      command`kubectl -n ${namespace} describe ${resource} ${name}`,
      ...(found.job ? [command`kubectl -n ${namespace} logs ${`job/${found.job.metadata.name}`} --tail=50`] : []),
    ],
  };
}

function activeButEnded(parent: DeepReadonly<Parent>, rules: ParentRules, world: World): Contradiction | undefined {
  const name = textAt(parent, rules.activeJob);
  if (name === undefined) return undefined;
  const job = world.find(resources.jobs, { namespace: parent.metadata.namespace ?? "", name });
  const finished = job ? finishedSince(job) : undefined;
  if (!job || !finished) return undefined;
  const but = `${nameOf("Job", job)} is ${conditionOf(job, "Complete", "Failed")?.type}`;
  return { ...finished, reason: "ActiveJobEnded", says: `${rules.activeJob} ${name}`, but, job };
}

function otherThanJob(parent: DeepReadonly<Parent>, rules: ParentRules, world: World): Contradiction | undefined {
  const standing = standingOf(parent, rules);
  if (!standing || standing.says === "other") return undefined;
  const { readyOps } = rules.jobs;
  const jobs = jobsOfParent(parent, rules, world)?.filter((job) => !readyOps || doesOneOf(job, readyOps, rules)) ?? [];
  const [newest] = jobs;
  if (!newest || jobs.some(isRunning)) return undefined;
  const finished = finishedSince(newest);
  const reason = finished && reasonOf(standing, newest, finished);
  const since = latestOf(finished, standing.since);
  if (reason === undefined || !since) return undefined;
  const outcome = conditionOf(newest, "Complete", "Failed");
  const but = `its newest Job, ${nameOf("Job", newest)}, is ${outcome?.type}${outcome?.reason ? ` (${quoted(outcome.reason)})` : ""}`;
  return { ...since, reason, says: standing.words, but, job: newest };
}

function reasonOf({ says, since }: Standing, job: DeepReadonly<Job>, finished: Since): string | undefined {
  const isFailed = conditionOf(job, "Failed") !== undefined;
  if (says === "ready") return isFailed ? "ReadyButJobFailed" : undefined;
  // What it says since after the Job's end is about what comes next.
  if (since && since.sinceMs > finished.sinceMs) return undefined;
  if (says === "working") return isFailed ? "WorkingButJobFailed" : "WorkingButJobComplete";
  return isFailed ? undefined : "FailedButJobComplete";
}

function disagreeing(parent: DeepReadonly<Parent>, rules: ParentRules): Contradiction | undefined {
  const conditions = conditionsOf(parent);
  const ready = conditions.find(({ type, status }) => rules.ready.includes(type) && status === "True");
  const against = conditions.find(({ type, status }) => rules.agreeing.includes(type) && status === "False");
  const since = ready && against && latestOf(conditionSince(ready), conditionSince(against));
  if (!since) return undefined;
  return {
    ...since,
    reason: "ConditionsDisagree",
    says: `${ready.type}=True`,
    but: `${quoted(against.type)} is False`,
  };
}
