import type { Env, Family, Gauge, LabelValues } from "../telemetry/index.ts";
import { aged, type Finding, type Severity } from "./finding.ts";
import { limitsOf, type LimitRules } from "./limits.ts";
import { stuckLimit, stuckObjects, stuckSince } from "./metrics.ts";
import { stuckKinds } from "./stuck-kinds.ts";

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

type GroupLabels = LabelValues<"kind" | "reason" | "namespace">;

/**
 * What is known to be wrong now, an entry a Job, and its series. Healthy Jobs have no entry and no series. A listing
 * shows ages as of the `now` it is given; it does not judge: whoever makes the verdicts sets and clears them.
 */
export class Findings {
  readonly #entries: Map<string, Finding> = new Map();
  readonly #stuckIn: Map<string, { labels: GroupLabels; objects: number }> = new Map();
  readonly #since: Family<keyof typeof stuckSince.labels, Gauge>;
  readonly #objects: Family<keyof typeof stuckObjects.labels, Gauge>;

  constructor(env: Pick<Env, "meter">, rules: LimitRules = []) {
    this.#since = env.meter.gauge(stuckSince);
    this.#objects = env.meter.gauge(stuckObjects);
    const limit = env.meter.gauge(stuckLimit);
    for (const stuckKind of stuckKinds) {
      const kind = stuckKind.id;
      const { warningMs, criticalMs } = limitsOf(stuckKind, rules);
      limit.labels({ kind, severity: "warning" }).set(warningMs / 1_000);
      limit.labels({ kind, severity: "critical" }).set(criticalMs / 1_000);
    }
  }

  /** The verdict on the Job with this key; undefined: healthy, or gone. Returns what was known of it before. */
  set(key: string, finding: Finding | undefined): Finding | undefined {
    const before = this.#entries.get(key);
    if (before) this.#withdraw(before);
    if (finding) {
      this.#entries.set(key, finding);
      this.#publish(finding);
    } else {
      this.#entries.delete(key);
    }
    return before;
  }

  /** Worst first, then oldest first. Without `all`, only what is stuck (or queued), not what is merely watched. */
  list(now: number, options: { all?: boolean } = {}): readonly Finding[] {
    return [...this.#entries.values()]
      .map((finding) => aged(finding, now))
      .filter(({ state }) => options.all === true || state !== "watching")
      .toSorted((a, b) => RANK[a.severity] - RANK[b.severity] || compareText(a.since, b.since));
  }

  #publish(finding: Finding): void {
    if (finding.state !== "stuck") return;
    this.#since.labels(seriesOf(finding)).set(Date.parse(finding.since) / 1_000);
    this.#count(finding, 1);
  }

  #withdraw(finding: Finding): void {
    if (finding.state !== "stuck") return;
    this.#since.remove(seriesOf(finding));
    this.#count(finding, -1);
  }

  #count({ kind, reason, object: { namespace } }: Finding, by: 1 | -1): void {
    const group = `${kind} ${reason} ${namespace}`;
    const counted = this.#stuckIn.get(group) ?? { labels: { kind, reason, namespace }, objects: 0 };
    counted.objects += by;
    if (counted.objects > 0) {
      this.#stuckIn.set(group, counted);
      this.#objects.labels(counted.labels).set(counted.objects);
    } else {
      // Namespaces come and go: what is not stuck leaves nothing behind.
      this.#stuckIn.delete(group);
      this.#objects.remove(counted.labels);
    }
  }
}

function seriesOf({ kind, reason, owner, object }: Finding): LabelValues<keyof typeof stuckSince.labels> {
  return {
    kind,
    reason,
    namespace: object.namespace,
    owner_kind: owner.kind,
    owner_name: owner.name,
    resource: "jobs",
    name: object.name,
  };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
