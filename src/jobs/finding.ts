import { defined } from "../base/index.ts";
import { apiVersionOf, controllerOf, type DeepReadonly, type KubeObject, type Resource } from "../resources/index.ts";

export type Severity = "info" | "warning" | "critical";

/**
 * stuck: it will not go on by itself, or is later than it should ever be. watching: the same sight, but younger than the kind's
 * warning age. queued: it waits by design and is never counted as stuck.
 */
type FindingState = "stuck" | "watching" | "queued";

/** From which age a finding of a kind matters, in milliseconds; Infinity: never. */
export interface AgeLimits {
  /** From here on it is listed, as info. Unset: from the warning age on, as a warning. */
  readonly infoMs?: number;
  readonly warningMs: number;
  readonly criticalMs: number;
}

/** What a stuck kind saw in one object, before it is weighed by age. Pure: the same objects give the same symptom at any time. */
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
  /** It waits by design: listed as queued, never counted as stuck. */
  readonly queued?: true;
  /** Ages that follow from the object itself (its own history, its own schedule) instead of the kind's. */
  readonly limits?: AgeLimits;
  /** When time alone makes it vanish, wall time in milliseconds. */
  readonly untilMs?: number;
  /** What the same cause is called in every object that it holds up: `webhook deny.example.com`, `node worker-3`. */
  readonly cause?: string;
  /** Whose the object is, where that is not its controller. */
  readonly owner?: { readonly kind: string; readonly name: string };
}

/** One stuck (or nearly stuck) object with one reason: what `/api/v1/jobs` and `-o json` print. */
export interface Finding {
  /** The stuck kind's id, `S13`. */
  readonly kind: string;
  /** The stuck kind's name, `image-cannot-be-pulled`. */
  readonly name: string;
  readonly reason: string;
  readonly severity: Severity;
  readonly state: FindingState;
  readonly object: FindingObject;
  /** The controller that manages the object (a CronJob, a custom resource), or the object itself. */
  readonly owner: { readonly kind: string; readonly name: string };
  /** RFC 3339, whole seconds. */
  readonly since: string;
  readonly sinceSource: string;
  readonly ageSeconds: number;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly next: readonly string[];
  /** What other findings may share, as one group. */
  readonly cause?: string;
  /** Somebody does not want to hear of it until then, RFC 3339: listed, counted, never alerted. */
  readonly silencedUntil?: string;
}

interface FindingObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Weight {
  readonly severity: Severity;
  readonly state: FindingState;
  readonly ageSeconds: number;
}

/** Age decides: from the first of the ages on it is stuck, and each age has its severity. */
export function weigh(sinceMs: number, now: number, limits: AgeLimits): Weight {
  const ageMs = now - sinceMs;
  const { infoMs = Number.POSITIVE_INFINITY, warningMs, criticalMs } = limits;
  const severities = [
    ["critical", criticalMs],
    ["warning", warningMs],
    ["info", infoMs],
  ] as const;
  const reached = severities.find(([, fromMs]) => ageMs >= fromMs);
  return {
    severity: reached?.[0] ?? (limits.infoMs === undefined ? "warning" : "info"),
    state: reached ? "stuck" : "watching",
    ageSeconds: ageSeconds(sinceMs, now),
  };
}

/** When age alone will change the weight next, or undefined when it never will. */
export function nextLimitAt(sinceMs: number, now: number, limits: AgeLimits): number | undefined {
  const { infoMs = Number.POSITIVE_INFINITY, warningMs, criticalMs } = limits;
  const ahead = [infoMs, warningMs, criticalMs]
    .map((ms) => sinceMs + ms)
    .filter((at) => at > now && Number.isFinite(at));
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

/** What is said of a symptom beyond what its kind saw. */
interface Judgement {
  readonly weight: Weight;
  /** Lines of evidence. */
  readonly more: readonly string[];
  readonly silencedUntilMs: number | undefined;
}

/** Says whose a weighed symptom is. */
export function findingOf<T extends KubeObject>(
  kind: { readonly id: string; readonly name: string },
  resource: Pick<Resource, "group" | "version" | "kind">,
  object: DeepReadonly<T>,
  symptom: Symptom,
  judgement: Judgement,
): Finding {
  const { namespace = "", name, uid } = object.metadata;
  const controller = controllerOf(object);
  const { weight, more, silencedUntilMs } = judgement;
  const owner = symptom.owner ?? controller ?? { kind: resource.kind, name };
  return {
    kind: kind.id,
    name: kind.name,
    reason: symptom.reason,
    severity: weight.severity,
    state: symptom.queued ? "queued" : weight.state,
    object: { apiVersion: apiVersionOf(resource), kind: resource.kind, namespace, name, uid },
    owner: { kind: owner.kind, name: owner.name },
    since: rfc3339(symptom.sinceMs),
    sinceSource: symptom.sinceSource,
    ageSeconds: weight.ageSeconds,
    message: symptom.message,
    evidence: [...symptom.evidence, ...more],
    next: symptom.next,
    ...defined({ cause: symptom.cause }),
    ...(silencedUntilMs === undefined ? {} : { silencedUntil: rfc3339(silencedUntilMs) }),
  };
}

/** RFC 3339 has years of four digits. A duration in an object's spec may lead to any other. */
const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59Z");

/** As the API writes times: whole seconds, UTC; the first or last one there is for what lies beyond. */
export function rfc3339(ms: number): string {
  return `${new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString().slice(0, 19)}Z`;
}
