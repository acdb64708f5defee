import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { prometheusRule, ruleGroups } from "../../src/mixin/index.ts";

interface Route {
  readonly receiver: string;
  /** Label and value, as an anchored regular expression. */
  readonly matchers: Readonly<Record<string, string>>;
}

/** What kube-prometheus ships, and the mute that people put before it. The first route that matches takes an alert. */
const ROUTES: readonly Route[] = [
  { receiver: "null", matchers: { alertname: "Kube.*" } },
  { receiver: "null", matchers: { alertname: "InfoInhibitor" } },
  { receiver: "watchdog", matchers: { alertname: "Watchdog" } },
  { receiver: "critical", matchers: { severity: "critical" } },
];

function receiverOf(labels: Readonly<Record<string, string>>): string {
  const route = ROUTES.find(({ matchers }) => {
    return Object.entries(matchers).every(([label, value]) => new RegExp(`^(?:${value})$`).test(labels[label] ?? ""));
  });
  return route?.receiver ?? "default";
}

/** As a Prometheus object's spec.ruleSelector chooses; an empty one chooses all. */
function chooses(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}

describe("an alert", () => {
  const alerts = ruleGroups.flatMap(({ rules }) => rules);

  it.each(alerts.map(({ name, severity }) => [name, severity] as const))(
    "%s (%s) is muted by no route",
    (alertname, severity) => {
      expect(receiverOf({ alertname, severity })).toBe(severity === "critical" ? "critical" : "default");
    },
  );

  it("of another name is muted by these routes", () => {
    expect(receiverOf({ alertname: "KubeJobFailed", severity: "critical" })).toBe("null");
  });
});

describe("the rules for the Prometheus Operator", () => {
  const { labels } = (prometheusRule() as { metadata: { labels: Record<string, string> } }).metadata;

  it("are chosen by a Prometheus that takes all, and by one that looks for their name", () => {
    expect(chooses({}, labels)).toBe(true);
    expect(chooses({ "app.kubernetes.io/name": "stalewatch" }, labels)).toBe(true);
  });

  it("need the labels that a ruleSelector wants, and the document says how to see them", () => {
    const stack = { release: "kube-prometheus-stack" };
    expect(chooses(stack, labels)).toBe(false);
    expect(chooses(stack, { ...labels, ...stack })).toBe(true);
    expect(readFileSync("docs/alerts.md", "utf8")).toMatch(/with the labels that your\s+`ruleSelector` wants/);
  });
});
