import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { ruleFile, ruleGroups } from "../../src/mixin/index.ts";
import { cacheCases } from "./cases/caches.ts";
import { jobCases } from "./cases/jobs.ts";
import { lagCases } from "./cases/lag.ts";
import { passCases } from "./cases/passes.ts";
import { queueCases } from "./cases/queues.ts";
import { selfCases } from "./cases/self.ts";
import { promtool, promtoolMissing } from "./promtool.ts";
import type { ExpectedAlert, RuleCase, Twin } from "./rule-case.ts";

const cases: readonly RuleCase[] = [...selfCases, ...jobCases, ...lagCases, ...cacheCases, ...queueCases, ...passCases];
const rules = ruleFile();
let directory = "";

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "stalewatch-rules-"));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Situation {
  readonly name: string;
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  readonly fires: readonly ExpectedAlert[];
}

/** Runs situations through Prometheus' own rule evaluation; "" when all end as expected. */
function evaluate(alert: string, situations: readonly Situation[]): string {
  const tests = situations.map(({ series, at, fires }) => ({
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: fires.map((one) => expectation(alert, one)) }],
  }));
  const path = join(directory, `${alert}.test.yaml`);
  const own = rules.groups.flatMap((group) => group.rules).filter((rule) => rule.alert === alert);
  writeFileSync(join(directory, "rules.yaml"), stringify({ groups: [{ name: alert, rules: own }] }));
  writeFileSync(path, stringify({ rule_files: ["rules.yaml"], evaluation_interval: "1m", tests }));
  return promtool(["test", "rules", path]);
}

function situationsOf(one: RuleCase): Situation[] {
  const { name, series, at, fires } = one;
  const twins = one.twins.map((twin) => ({
    name: `not when ${twin.name}`,
    series: twinSeries(one, twin),
    at,
    fires: [],
  }));
  return [{ name: `when ${name}`, series, at, fires }, ...twins];
}

function expectation(alert: string, { severity, labels, summary, description }: ExpectedAlert): object {
  const rule = rules.groups
    .flatMap((group) => group.rules)
    .find((candidate) => candidate.alert === alert && candidate.labels["severity"] === severity);
  const dashboard = rule?.annotations["dashboard_url"]?.replace("{{ $labels.controller }}", labels["controller"] ?? "");
  return {
    exp_labels: { severity, ...labels },
    exp_annotations: { summary, description, runbook_url: rule?.annotations["runbook_url"], dashboard_url: dashboard },
  };
}

function twinSeries({ series }: RuleCase, twin: Twin): Record<string, string> {
  expect(Object.keys(series)).toContain(twin.series);
  const { [twin.series]: values = "", ...rest } = series;
  return { ...rest, [twin.renamed ?? twin.series]: twin.values ?? values };
}

describe.skipIf(promtoolMissing)("alert rules", () => {
  it.each([...new Set(cases.map(({ alert }) => alert))])("%s fires where it should, and not in the twins", (alert) => {
    const situations = cases.filter((one) => one.alert === alert).flatMap(situationsOf);
    if (evaluate(alert, situations) === "") return;
    // promtool does not name the situation that went wrong: one at a time.
    const wrong = situations.map((one) => ({ name: one.name, output: evaluate(alert, [one]) }));
    expect(wrong.filter(({ output }) => output !== "")).toEqual([]);
    expect.unreachable("wrong together, right one by one");
  });
});

describe("alert cases", () => {
  it("are there for every alert and severity, with a twin each", () => {
    const wanted = ruleGroups.flatMap(({ rules }) => rules.map(({ name, severity }) => `${name} ${severity}`));
    const withTwins = cases.filter(({ twins }) => twins.length > 0);
    const shown = new Set(withTwins.flatMap(({ alert, fires }) => fires.map(({ severity }) => `${alert} ${severity}`)));
    expect(wanted.filter((one) => !shown.has(one))).toEqual([]);
  });
});
