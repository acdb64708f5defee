import { type DeepReadonly, resources } from "../../resources/index.ts";
import { firstSeen } from "../event-times.ts";
import { conditionOf } from "../job-state.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import { conditionSince, conditionsOf, type Parent, standingOf } from "../parents/parent.ts";
import { bySince, type Since } from "../since.ts";
import type { KindPage, StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

/** As the API server refuses a create: `jobs.batch "network-apply" already exists`. */
const ALREADY_EXISTS = /\bjobs?\.batch "([a-z0-9.-]{1,253})" already exists/;

/** Nobody needs more of a message than this to find the name in it. */
const LONGEST_MESSAGE = 2_000;

const page: KindPage = {
  id: "S39",
  name: "old-name-blocks",
  sees: "a parent is not ready, and a condition or Warning event of it says that a Job of the name it wants already exists, which is true",
  lookAlike: "the same message once, after which the old Job is gone or the parent is ready",
  means:
    "The controller wants to start a run under a name that an older Job still has. Creating it is refused each time, and nobody deletes the old one.",
  remedy: [
    "Look whether the old Job is still of use; its log goes with it.",
    "Delete the old Job: the controller creates its own at the next try.",
    "If the Job belongs to somebody else, one of the two needs another name.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: ["https://github.com/kubevela/terraform-controller/issues/84"],
  reasons: ["JobNameTaken"],
};

interface Refusal extends Since {
  readonly job: string;
  readonly text: string;
}

export function oldNameBlocks(rules: ParentRules): StuckKind<Parent> {
  return {
    ...page,
    startsAt(parent) {
      const standing = standingOf(parent, rules);
      return standing?.since && standing.says !== "ready" ? standing.since.sinceMs + page.limits.warningMs : undefined;
    },
    look(parent, world, now) {
      const refusal = refusalOf(parent, rules, world, now);
      const { namespace = "", name } = parent.metadata;
      const old = refusal && world.find(resources.jobs, { namespace, name: refusal.job });
      if (!refusal || !old) return undefined;
      const { kind, resource } = rules.resource;
      const outcome = conditionOf(old, "Complete", "Failed")?.type;
      return {
        reason: "JobNameTaken",
        sinceMs: refusal.sinceMs,
        sinceSource: refusal.sinceSource,
        message: `${nameOf(kind, parent)} cannot create Job ${quoted(refusal.job)}: there is one of this name, which ${outcome === undefined ? "has not finished" : `is ${outcome}`}`,
        evidence: [quoted(refusal.text)],
        next: [
          command`kubectl -n ${namespace} get job ${refusal.job} -o yaml`,
          command`kubectl -n ${namespace} describe ${resource} ${name}`,
        ],
      };
    },
  };
}

function refusalOf(parent: DeepReadonly<Parent>, rules: ParentRules, world: World, now: number): Refusal | undefined {
  const standing = standingOf(parent, rules);
  if (standing?.says === "ready") return undefined;
  const told = conditionsOf(parent).flatMap((condition) => {
    return condition.status === "True" ? [] : refused(condition.message, conditionSince(condition));
  });
  // A parent that has only just ceased to be ready is not worth a read.
  const isOld = standing?.since !== undefined && now - standing.since.sinceMs >= page.limits.warningMs;
  const events = told.length === 0 && isOld ? (world.eventsAbout(parent) ?? []) : [];
  const seen = events.flatMap((event) => (event.type === "Warning" ? refused(event.message, firstSeen(event)) : []));
  return [...told, ...seen].toSorted(bySince)[0];
}

function refused(text: string | undefined, since: Since | undefined): Refusal | [] {
  const told = (text ?? "").slice(0, LONGEST_MESSAGE);
  const job = ALREADY_EXISTS.exec(told)?.[1];
  return job !== undefined && since ? { ...since, job, text: told } : [];
}
