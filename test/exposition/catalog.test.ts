import { describe, expect, it } from "vitest";
import { catalog } from "../../src/exposition/index.ts";

/** Names that upstream gave, and the cards' own; everything else starts with the project's name. */
const FOREIGN = /^(workqueue|controller_runtime|rest_client|leader_election|informer)_/;
const CARDS = new Set([
  "stale_sync_skips_total",
  "stale_sync_wait_seconds",
  "store_resource_version",
  "requeues_total",
  "requeue_interval_seconds",
  "requeue_delay_seconds",
  "requeue_lateness_seconds",
]);

/** Units that a name may end with (https://prometheus.io/docs/practices/naming/#base-units), and what has none. */
const UNITLESS_GAUGE = /(_info|_version|_objects|_depth|_workers|_reconciles|_items|_status|_state|_behind|_up)$/;

describe("catalog", () => {
  it("has each name once", () => {
    const names = catalog.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it("has every family that the contract names for what exists", () => {
    const names = new Set(catalog.map(({ name }) => name));
    const promised = [
      ...CARDS,
      "workqueue_depth",
      "workqueue_adds_total",
      "workqueue_queue_duration_seconds",
      "workqueue_work_duration_seconds",
      "workqueue_unfinished_work_seconds",
      "workqueue_longest_running_processor_seconds",
      "workqueue_retries_total",
      "controller_runtime_reconcile_total",
      "controller_runtime_reconcile_errors_total",
      "controller_runtime_reconcile_time_seconds",
      "rest_client_requests_total",
      "stalewatch_reconcile_triggers_total",
      "stalewatch_relist_differences_total",
      "stalewatch_watch_restarts_total",
      "stalewatch_relists_total",
      "stalewatch_stuck_since_timestamp_seconds",
      "stalewatch_stuck_objects",
      "stalewatch_stuck_limit_seconds",
      "stalewatch_series_dropped_total",
    ];
    expect(promised.filter((name) => !names.has(name))).toEqual([]);
  });

  it.each(catalog.map((definition) => [definition.name, definition] as const))(
    "%s is declared well",
    (name, definition) => {
      const { type, help, labels, buckets, perObject } = definition;
      expect(name).toMatch(/^[a-z][a-z0-9_]*[a-z0-9]$/);
      expect(FOREIGN.test(name) || CARDS.has(name) || name.startsWith("stalewatch_")).toBe(true);
      expect(name.endsWith("_total")).toBe(type === "counter");
      if (type === "histogram") expect(name).toMatch(/_(seconds|bytes)$/);
      if (type === "gauge") expect(name.endsWith("_seconds") || UNITLESS_GAUGE.test(name)).toBe(true);
      expect(help).toMatch(/^[A-Z0-9].{15,}[.]$/);
      expect(help).not.toContain("\n");
      expect(perObject === true && type !== "gauge").toBe(false);

      expect((buckets !== undefined) === (type === "histogram")).toBe(true);
      expect(buckets?.toSorted((a, b) => a - b)).toEqual(buckets);
      expect(new Set(buckets).size).toBe(buckets?.length ?? 0);
      expect(buckets?.every(Number.isFinite)).not.toBe(false);

      for (const [label, values] of Object.entries(labels)) {
        expect(label).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(["le", "quantile", "job", "instance"]).not.toContain(label);
        if (values === "open") continue;
        expect(values.length).toBeGreaterThan(0);
        expect(new Set(values).size).toBe(values.length);
        expect(values).not.toContain("other");
      }
    },
  );
});
