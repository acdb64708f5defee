import type { Job } from "../resources/index.ts";
import { apiVersionOf, controllerOf, type DeepReadonly, resources } from "../resources/index.ts";

export type Severity = "info" | "warning" | "critical";

/**
 * stuck: it will not go on by itself, or is later than it should ever be. watching: the same sight, but younger than the kind's
 * warning age. queued: it waits by design and is never counted as stuck.
 */
export type FindingState = "stuck" | "watching" | "queued";

/** From which age a finding of a kind matters, in milliseconds. */
export interface AgeLimits {
  readonly warningMs: number;
  readonly criticalMs: number;
}

/** What a stuck kind saw in one Job, before it is weighed by age. Pure: the same objects give the same symptom at any time. */
export interface Symptom {
  /** From a closed set of the kind; a label of metrics. */
  readonly reason: string;
  /** Wall time in milliseconds since when it has been so. */
  readonly sinceMs: number;
  /** The API field that `sinceMs` comes from, or "observed". */
  readonly sinceSource: string;
  /** One sentence with the object's own values and no ages: it must not change while nothing changes. */
  readonly message: string;
  /** What was seen, a line an object. */
  readonly evidence: readonly string[];
  /** What to type next, a command a line. */
  readonly next: readonly string[];
}

/** One stuck (or nearly stuck) Job with one reason: what `/api/v1/jobs` and `-o json` print. */
export interface Finding {
  /** The stuck kind's id, `S13`. */
  readonly kind: string;
  /** The stuck kind's name, `image-cannot-be-pulled`. */
  readonly name: string;
  readonly reason: string;
  readonly severity: Severity;
  readonly state: FindingState;
  readonly object: FindingObject;
  /** The controller that manages the Job (a CronJob, a custom resource), or the Job itself. */
  readonly owner: { readonly kind: string; readonly name: string };
  /** RFC 3339, whole seconds. */
  readonly since: string;
  readonly sinceSource: string;
  readonly ageSeconds: number;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly next: readonly string[];
}

interface FindingObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Age decides: from the warning age on it is stuck, from the critical age on critical. */
export function weigh(
  sinceMs: number,
  now: number,
  limits: AgeLimits,
): { severity: Severity; state: FindingState; ageSeconds: number } {
  const ageMs = now - sinceMs;
  return {
    severity: ageMs >= limits.criticalMs ? "critical" : "warning",
    state: ageMs >= limits.warningMs ? "stuck" : "watching",
    ageSeconds: ageSeconds(sinceMs, now),
  };
}

/** When age alone will change the weight next, or undefined when it never will. */
export function nextLimitAt(sinceMs: number, now: number, limits: AgeLimits): number | undefined {
  const ahead = [sinceMs + limits.warningMs, sinceMs + limits.criticalMs].filter((at) => at > now);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}

/** The same finding at a later time. What it weighs is for the next verdict to say. */
export function aged(finding: Finding, now: number): Finding {
  return { ...finding, ageSeconds: ageSeconds(Date.parse(finding.since), now) };
}

/** A clock behind the server's counts as age 0. */
function ageSeconds(sinceMs: number, now: number): number {
  return Math.floor(Math.max(0, now - sinceMs) / 1_000);
}

/** Weighs a symptom and says whose it is. */
export function findingOf(
  kind: { readonly id: string; readonly name: string },
  job: DeepReadonly<Job>,
  symptom: Symptom,
  weight: ReturnType<typeof weigh>,
): Finding {
  const { namespace = "", name, uid } = job.metadata;
  const owner = controllerOf(job);
  return {
    kind: kind.id,
    name: kind.name,
    reason: symptom.reason,
    severity: weight.severity,
    state: weight.state,
    object: { apiVersion: apiVersionOf(resources.jobs), kind: resources.jobs.kind, namespace, name, uid },
    owner: owner ? { kind: owner.kind, name: owner.name } : { kind: resources.jobs.kind, name },
    since: rfc3339(symptom.sinceMs),
    sinceSource: symptom.sinceSource,
    ageSeconds: weight.ageSeconds,
    message: symptom.message,
    evidence: symptom.evidence,
    next: symptom.next,
  };
}

/** As the API writes times: whole seconds, UTC. */
export function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
