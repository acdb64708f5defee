import type { MetricsPage, Sample } from "../scrape/index.ts";

/** A cache as its process publishes it. */
export interface PublishedStore {
  /** Of the set of informers: "kube-controller-manager". */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** As published: client-go writes the kind in lower case with an "s" behind it, "networkpolicys". */
  readonly resource: string;
  /** The last 15 digits of its resource version; 0 is none; undefined where the value is not one. */
  readonly digits: bigint | undefined;
}

/** Passes that were skipped because a cache had not yet seen an own write, since the process began. */
export interface StaleSkips {
  readonly controller: string;
  readonly group: string;
  /** The cache that was late, as a plural. */
  readonly resource: string;
  readonly total: number;
}

/** A workqueue since the process began. */
interface TargetQueue {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
  readonly waited: TargetTimes;
  readonly worked: TargetTimes;
}

interface TargetTimes {
  readonly count: number;
  readonly seconds: number;
}

/** controller-runtime's count of a controller's reconciles since the process began, by result. */
interface TargetReconciles {
  readonly controller: string;
  readonly results: Readonly<Record<string, number>>;
  readonly took: TargetTimes;
}

/** What one page of a target says. */
export interface TargetReading {
  /** Seconds since the Unix epoch; undefined where it does not say. */
  readonly startedAt: number | undefined;
  /** Undefined where it takes part in no election. */
  readonly leads: boolean | undefined;
  readonly stores: readonly PublishedStore[];
  readonly skips: readonly StaleSkips[];
  readonly queues: readonly TargetQueue[];
  readonly reconciles: readonly TargetReconciles[];
  /** What was odd about the page, one line each. */
  readonly notes: readonly string[];
}

/** More of a target than this is left out, and noted. */
const MOST_STORES = 500;
const MOST_OTHERS = 500;
const LONGEST_LABEL = 253;
const MOST_TYPE_NOTES = 10;

/** Upstream's spelling and ours, which controller-runtime's users share (docs/targets.md). */
const STORES: ReadonlySet<string> = new Set(["informer_store_resource_version", "store_resource_version"]);
/** `stale_sync_skips_total{controller,...}`, or the controller in front: `job_controller_stale_sync_skips_total`. */
const SKIPS = /^(?:(\w+?)(?:_controller)?_)?stale_sync_skips_total$/;
const START = "process_start_time_seconds";
const LEADER = "leader_election_master_status";

const QUEUE: Readonly<Record<string, string>> = {
  workqueue_depth: "depth",
  workqueue_adds_total: "adds",
  workqueue_retries_total: "retries",
  workqueue_unfinished_work_seconds: "unfinished",
  workqueue_longest_running_processor_seconds: "longest",
  workqueue_queue_duration_seconds_count: "waitedCount",
  workqueue_queue_duration_seconds_sum: "waitedSum",
  workqueue_work_duration_seconds_count: "workedCount",
  workqueue_work_duration_seconds_sum: "workedSum",
};
const RECONCILES: Readonly<Record<string, string>> = {
  controller_runtime_reconcile_total: "total",
  controller_runtime_reconcile_time_seconds_count: "tookCount",
  controller_runtime_reconcile_time_seconds_sum: "tookSum",
};

/** Which names of a page are read. */
export function isRead(name: string): boolean {
  return (
    STORES.has(name) ||
    name === START ||
    name === LEADER ||
    Object.hasOwn(QUEUE, name) ||
    Object.hasOwn(RECONCILES, name) ||
    (name.endsWith("stale_sync_skips_total") && SKIPS.test(name))
  );
}

/** Makes sense of a page. Never throws: what is odd is left out, and noted. */
export function readTarget(page: MetricsPage): TargetReading {
  const notes = [...notesOf(page)];
  const bySort = (wanted: (name: string) => boolean): readonly Sample[] =>
    page.samples.filter(({ name }) => wanted(name));
  const leads = bySort((name) => name === LEADER).map(({ value }) => value === 1);
  const startedAt = bySort((name) => name === START)[0]?.value;
  return {
    startedAt: startedAt !== undefined && Number.isFinite(startedAt) && startedAt > 0 ? startedAt : undefined,
    leads: leads.length === 0 ? undefined : leads.includes(true),
    stores: atMost(MOST_STORES, "caches", storesOf(bySort((name) => STORES.has(name))), notes),
    skips: atMost(MOST_OTHERS, "counters of stale skips", skipsOf(bySort((name) => SKIPS.test(name))), notes),
    queues: atMost(MOST_OTHERS, "workqueues", queuesOf(page.samples), notes),
    reconciles: atMost(MOST_OTHERS, "controllers", reconcilesOf(page.samples), notes),
    notes,
  };
}

function* notesOf({ duplicates, malformed, types }: MetricsPage): Generator<string> {
  if (duplicates > 0) yield `${duplicates} series came twice; the first counts`;
  if (malformed > 0) yield `${malformed} lines could not be read`;
  const odd = [...types].filter(([name, type]) => !["untyped", "unknown", expectedType(name)].includes(type));
  for (const [name, type] of odd.slice(0, MOST_TYPE_NOTES)) {
    const [what, as] = [name, type].map((text) => text.slice(0, LONGEST_LABEL));
    yield `${what} is declared as a ${as}, and read as a ${expectedType(name)}`;
  }
  if (odd.length > MOST_TYPE_NOTES) yield `and ${odd.length - MOST_TYPE_NOTES} more names have another type`;
}

function expectedType(name: string): string {
  return name.endsWith("_total") ? "counter" : "gauge";
}

function atMost<T>(most: number, what: string, items: readonly T[], notes: string[]): readonly T[] {
  if (items.length <= most) return items;
  notes.push(`it publishes ${items.length} ${what}; the first ${most} are read`);
  return items.slice(0, most);
}

function storesOf(samples: readonly Sample[]): readonly PublishedStore[] {
  const stores = new Map<string, PublishedStore>();
  for (const { labels, value } of samples) {
    const [name, group, version, resource] = ["name", "group", "version", "resource"].map((label) =>
      textOf(labels, label),
    );
    if (name === undefined || group === undefined || version === undefined || resource === undefined) continue;
    const key = [name, group, version, resource].join("\u0000");
    if (!stores.has(key)) stores.set(key, { name, group, version, resource, digits: digitsOf(value) });
  }
  return [...stores.values()];
}

/** A number above 2^53 may have been rounded. */
function digitsOf(value: number): bigint | undefined {
  return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) % 10n ** 15n : undefined;
}

function skipsOf(samples: readonly Sample[]): readonly StaleSkips[] {
  const skips = new Map<string, StaleSkips>();
  for (const { name, labels, value } of samples) {
    const controller = textOf(labels, "controller") || SKIPS.exec(name)?.[1];
    const group = textOf(labels, "group");
    const resource = textOf(labels, "resource");
    if (!controller || group === undefined || !resource || !isCount(value)) continue;
    const key = [controller, group, resource].join("\u0000");
    if (!skips.has(key)) skips.set(key, { controller, group, resource, total: value });
  }
  return [...skips.values()];
}

function queuesOf(samples: readonly Sample[]): readonly TargetQueue[] {
  return [...sums(samples, QUEUE, "name")].map(([name, of]) => ({
    name,
    depth: of("depth"),
    adds: of("adds"),
    retries: of("retries"),
    unfinishedSeconds: of("unfinished"),
    longestRunningSeconds: of("longest"),
    waited: { count: of("waitedCount"), seconds: of("waitedSum") },
    worked: { count: of("workedCount"), seconds: of("workedSum") },
  }));
}

function reconcilesOf(samples: readonly Sample[]): readonly TargetReconciles[] {
  const results = new Map<string, Map<string, number>>();
  for (const { name, labels, value } of samples) {
    const controller = textOf(labels, "controller");
    const result = textOf(labels, "result");
    if (RECONCILES[name] !== "total" || !controller || !result || !isCount(value)) continue;
    results.set(controller, (results.get(controller) ?? new Map<string, number>()).set(result, value));
  }
  return [...sums(samples, RECONCILES, "controller")].map(([controller, of]) => ({
    controller,
    results: Object.fromEntries(results.get(controller) ?? []),
    took: { count: of("tookCount"), seconds: of("tookSum") },
  }));
}

/** By the value of `label`: the sums of the fields that `fields` names. A queue has a depth for each priority. */
function sums(
  samples: readonly Sample[],
  fields: Readonly<Record<string, string>>,
  label: string,
): ReadonlyMap<string, (field: string) => number> {
  const found = new Map<string, Map<string, number>>();
  for (const { name, labels, value } of samples) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const key = textOf(labels, label);
    if (field === undefined || !key || !isCount(value)) continue;
    const known = found.get(key) ?? new Map<string, number>();
    found.set(key, known.set(field, (known.get(field) ?? 0) + value));
  }
  return new Map([...found].map(([key, values]) => [key, (field) => values.get(field) ?? 0]));
}

/** Undefined where it is missing or too long to be a name of anything. */
function textOf(labels: ReadonlyMap<string, string>, label: string): string | undefined {
  const text = labels.get(label);
  return text !== undefined && text.length <= LONGEST_LABEL ? text : undefined;
}

function isCount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}
