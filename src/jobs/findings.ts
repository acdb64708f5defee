import { oneLine } from "../base/index.ts";
import { type Resource, resourceName } from "../resources/index.ts";
import type { Env, Family, Gauge, LabelValues } from "../telemetry/index.ts";
import { aged, type Finding, type Severity } from "./finding.ts";
import { limitsOf, type LimitRules } from "./limits.ts";
import { silencedObjects, stuckLimit, stuckObjects, stuckSince } from "./metrics.ts";
import { stuckKinds } from "./stuck-kinds.ts";
import { Tally } from "./tally.ts";

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** A label is no place for a page of text. */
const LONGEST_CAUSE = 120;

type FindingKind = Pick<Resource, "group" | "version" | "resource">;

/** What is known to be wrong with the objects of one kind. */
export interface KindFindings {
  get(key: string): Finding | undefined;
  /** The verdict on the object with this key; undefined: healthy, or gone. Returns what was known of it before. */
  set(key: string, finding: Finding | undefined): Finding | undefined;
}

/**
 * What is known to be wrong now, an entry an object, and its series. Healthy objects have no entry and no series. A listing
 * shows ages as of the `now` it is given; it does not judge: whoever makes the verdicts sets and clears them.
 */
export class Findings {
  readonly #kinds: Map<string, Map<string, Finding>> = new Map();
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
    const entries = this.#entriesOf(kind);
    return {
      get: (key) => entries.get(key),
      set: (key, finding) => {
        const before = entries.get(key);
        if (before) this.#tell(kind, before, -1);
        if (finding) entries.set(key, finding);
        else if (before) entries.delete(key);
        if (finding) this.#tell(kind, finding, 1);
        return before;
      },
    };
  }

  /** Worst first, then oldest first. Without `all`, only what is stuck (or queued), not what is merely watched. */
  list(now: number, options: { all?: boolean } = {}): readonly Finding[] {
    return [...this.#kinds.values()]
      .flatMap((entries) => [...entries.values()])
      .filter(({ state }) => options.all === true || state !== "watching")
      .map((finding) => aged(finding, now))
      .toSorted((a, b) => RANK[a.severity] - RANK[b.severity] || compareText(a.since, b.since));
  }

  #entriesOf(kind: FindingKind): Map<string, Finding> {
    const name = resourceName(kind);
    const known = this.#kinds.get(name);
    if (known) return known;
    const made = new Map<string, Finding>();
    this.#kinds.set(name, made);
    return made;
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

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
