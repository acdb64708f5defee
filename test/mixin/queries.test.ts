import { readFileSync } from "node:fs";
import type { Panel } from "@grafana/grafana-foundation-sdk/dashboard";
import { beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { controllersDashboard } from "../../src/mixin/dashboards/controllers.ts";
import { ruleFile, ruleGroups } from "../../src/mixin/index.ts";
import type { MetricDefinition } from "../../src/telemetry/index.ts";
import { exportedFamilies, filledIn, parseQuery, strangersIn } from "./promql.ts";
import { promtool, promtoolMissing, promtoolOn } from "./promtool.ts";

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: { uid: string };
}

const dashboard = controllersDashboard();
const panels = (dashboard.panels ?? []).filter((panel): panel is Panel => panel.type !== "row");
const queries = panels.flatMap((panel) =>
  targetsOf(panel).map(({ expr, refId }) => [`${panel.title} ${refId}`, expr] as const),
);
let families: ReadonlyMap<string, MetricDefinition["labels"]>;

beforeAll(async () => {
  families = await exportedFamilies();
});

function targetsOf(panel: Panel): Target[] {
  return (panel.targets ?? []) as unknown as Target[];
}

describe("the check of queries", () => {
  it.each([
    ["sum(nothing_total)", ["metric nothing_total"]],
    ['stalewatch_passes_total{outcome="skiped"}', ['value outcome="skiped" of stalewatch_passes_total']],
    ['stalewatch_passes_total{outcome=~"error|fatal"}', ['value outcome="fatal" of stalewatch_passes_total']],
    ['stalewatch_passes_total{result="x"}', ["label result of stalewatch_passes_total"]],
    ["sum by (verdict) (stalewatch_passes_total)", ["label verdict"]],
    ["sum by (controller) (rate(stalewatch_passes_total[5m]))", []],
    [
      'workqueue_queue_duration_seconds_bucket{le="101"}',
      ['value le="101" of workqueue_queue_duration_seconds_bucket'],
    ],
  ])("finds what is wrong with %s", (query, strangers) => {
    expect(strangersIn(query, families)).toEqual(strangers);
  });

  it("finds a query that is not one", () => {
    expect(parseQuery('rate(stalewatch_passes_total{outcome="x"[5m])').errors).not.toEqual([]);
  });
});

describe("alert rules", () => {
  const rules = ruleGroups.flatMap((group) => group.rules);

  it.each(rules.map((rule) => [rule.name, rule.severity, rule.expr] as const))(
    "%s (%s) asks for what is exported",
    (_name, _severity, expr) => {
      expect(strangersIn(expr, families)).toEqual([]);
    },
  );

  it("say what they mean, and have a runbook that says what to do", () => {
    for (const { alert, annotations } of ruleFile().groups.flatMap((group) => group.rules)) {
      expect(alert).toMatch(/^Stalewatch[A-Z]/);
      expect(Object.keys(annotations)).toEqual(["summary", "description", "runbook_url", "dashboard_url"]);
      expect(annotations["runbook_url"]?.endsWith(`/docs/runbooks/${alert}.md`)).toBe(true);
      const runbook = readFileSync(`docs/runbooks/${alert}.md`, "utf8");
      expect(runbook.startsWith(`# ${alert}\n`)).toBe(true);
      for (const part of ["## Meaning", "## Confirm", "## What to do"]) expect(runbook).toContain(`\n${part}\n`);
      expect(runbook).toMatch(/```\n.*(kubectl|curl|promql)|kubectl |curl /s);
    }
  });

  it.skipIf(promtoolMissing)("are a rule file that Prometheus takes", () => {
    expect(promtool(["check", "rules", "alerts/stalewatch.rules.yaml"])).toBe("");
  });
});

describe("dashboard", () => {
  it.each(queries)("%s asks for what is exported", (_name, expr) => {
    expect(strangersIn(filledIn(expr), families)).toEqual([]);
  });

  it.skipIf(promtoolMissing)("has queries that Prometheus takes", () => {
    const rules = queries.map(([, expr], at) => ({ record: `panel:query_${at}`, expr: filledIn(expr) }));
    expect(promtoolOn(stringify({ groups: [{ name: "panels", rules }] }), ["check", "rules", "--lint=none"])).toBe("");
  });

  it("picks up its data source, and no query goes past it", () => {
    for (const panel of panels) {
      for (const { datasource } of [panel as { datasource?: { uid?: string } }, ...targetsOf(panel)]) {
        expect(datasource?.uid).toBe("${datasource}");
      }
    }
    expect(dashboard.templating?.list?.[0]).toMatchObject({
      name: "datasource",
      type: "datasource",
      query: "prometheus",
    });
  });

  it("can be found by its uid and tags, cannot be edited, and refreshes its variables with the time range", () => {
    expect(dashboard).toMatchObject({
      uid: "stalewatch-controllers",
      tags: ["stalewatch", "kubernetes"],
      editable: false,
    });
    const variables = dashboard.templating?.list ?? [];
    expect(variables.map(({ name }) => name)).toEqual([
      "datasource",
      "cluster",
      "namespace",
      "job",
      "instance",
      "controller",
    ]);
    for (const { refresh, allValue, includeAll } of variables.slice(1)) {
      expect({ refresh, allValue, includeAll }).toEqual({ refresh: 2, allValue: ".*", includeAll: true });
    }
  });

  it.each(panels.map((panel) => [panel.title ?? "", panel] as const))("panel %s explains itself", (title, panel) => {
    expect(title).not.toBe("");
    expect(panel.description?.length ?? 0).toBeGreaterThan(20);
    expect(panel.fieldConfig?.defaults.unit).toBeTruthy();
    const targets = targetsOf(panel);
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    for (const { expr, legendFormat } of targets) {
      expect(expr).not.toMatch(/(rate|irate)\([^[]+\[(?!\$__rate_interval\])/);
      expect(expr).toMatch(/job=~"\$job", instance=~"\$instance"/);
      const { grouping } = parseQuery(filledIn(expr));
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(grouping).toContain(label);
    }
  });

  it("has panels that do not overlap, under ids of their own", () => {
    const cells = (dashboard.panels ?? []).flatMap(({ gridPos: { x, y, w, h } = { x: 0, y: 0, w: 0, h: 0 } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    const ids = (dashboard.panels ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
