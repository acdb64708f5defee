import { compareText, oneLine } from "../base/index.ts";
import { type Resource, resourceName } from "../resources/index.ts";
import type { Env, Family, Gauge, LabelValues } from "../telemetry/index.ts";
import { aged, type Finding, type Severity } from "./finding.ts";
import { KindFindings } from "./kind-findings.ts";
import { limitsOf, type LimitRules } from "./limits.ts";
import { silencedObjects, stuckLimit, stuckObjects, stuckSince } from "./metrics.ts";
import { stuckKinds } from "./stuck-kinds.ts";
import { Tally } from "./tally.ts";

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** A label is no place for a page of text. */
const LONGEST_CAUSE = 120;

const PUBLISHED = ["state", "kind", "reason", "severity", "since", "cause"] as const;

type FindingKind = Pick<Resource, "group" | "version" | "resource">;

/**
 * What is known to be wrong now, an entry an object, and its series. Healthy objects have no entry and no series. A listing
 * shows ages as of the `now` it is given; it does not judge: whoever makes the verdicts sets and clears them.
 */
export class Findings {
  readonly #kinds: Map<string, KindFindings> = new Map();
  readonly #since: Family<keyof typeof stuckSince.labels, Gauge>;
  readonly #stuck: Tally<keyof typeof stuckObjects.labels>;
  readonly #silenced: Tally<keyof typeof silencedObjects.labels>;

  constructor(env: Pick<Env, "meter">, rules: LimitRules = []) {
    this.#since = env.meter.gauge(stuckSince);
    this.#stuck = new Tally(env.meter.gauge(stuckObjects));
    this.#silenced = new Tally(env.meter.gauge(silencedObjects));
    const limit = env.meter.gauge(stuckLimit);
    for (const { id: kind, limits } of stuckKinds) {
      const { warningMs, criticalMs } = limitsOf({ id: kind, limits }, rules);
      if (Number.isFinite(warningMs)) limit.labels({ kind, severity: "warning" }).set(warningMs / 1_000);
      if (Number.isFinite(criticalMs)) limit.labels({ kind, severity: "critical" }).set(criticalMs / 1_000);
    }
  }

  /** Of two who ask for one kind both get the same. */
  of(kind: FindingKind): KindFindings {
    const name = resourceName(kind);
    const known = this.#kinds.get(name);
    if (known) return known;
    const made = new KindFindings((before, after) => this.#changed(kind, before, after));
    this.#kinds.set(name, made);
    return made;
  }

  /** Worst first, then oldest first. Without `all`, only what is stuck (or queued), not what is merely watched. */
  list(now: number, options: { all?: boolean } = {}): readonly Finding[] {
    return [...this.#kinds.values()]
      .flatMap((findings) => [...findings.all()])
      .filter(({ state }) => options.all === true || state !== "watching")
      .map((finding) => aged(finding, now))
      .toSorted((a, b) => RANK[a.severity] - RANK[b.severity] || compareText(a.since, b.since));
  }

  /** A pass over an object that is as stuck as before changes no series. */
  #changed(kind: FindingKind, before: Finding | undefined, after: Finding | undefined): void {
    if (before && after && isPublishedAs(before, after)) return;
    if (before) this.#tell(kind, before, -1);
    if (after) this.#tell(kind, after, 1);
  }

  /** Publishes what is stuck, or takes it back. What waits by design, or is watched, is no business of anybody. */
  #tell({ resource }: FindingKind, finding: Finding, by: 1 | -1): void {
    if (finding.state !== "stuck") return;
    const { kind, reason } = finding;
    const { namespace } = finding.object;
    if (finding.silencedUntil !== undefined) return this.#silenced.add({ kind, namespace }, by);
    this.#stuck.add({ kind, reason, namespace }, by);
    const labels = seriesOf(resource, finding);
    if (by === 1) this.#since.labels(labels).set(Date.parse(finding.since) / 1_000);
    else this.#since.remove(labels);
  }
}

function seriesOf(resource: string, finding: Finding): LabelValues<keyof typeof stuckSince.labels> {
  const { kind, reason, severity, owner, object, cause = "" } = finding;
  return {
    kind,
    reason,
    severity,
    namespace: object.namespace,
    owner_kind: owner.kind,
    owner_name: owner.name,
    resource,
    name: object.name,
    cause: oneLine(cause).slice(0, LONGEST_CAUSE),
  };
}

/** Of two findings about one object. */
function isPublishedAs(a: Finding, b: Finding): boolean {
  const areSilenced = (a.silencedUntil !== undefined) === (b.silencedUntil !== undefined);
  const areSame = areSilenced && PUBLISHED.every((field) => a[field] === b[field]);
  return areSame && a.owner.kind === b.owner.kind && a.owner.name === b.owner.name;
}
