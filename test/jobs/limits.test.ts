import { describe, expect, it } from "vitest";
import { jobOrder, type LimitRules, Snapshot, verdictOn } from "../../src/jobs/index.ts";
import { parseLabelSelector, resources } from "../../src/resources/index.ts";
import { at, job, judgeJob, meta } from "./objects.ts";

const untouched = job({ metadata: { labels: { team: "data" } }, status: {} });
/** Of S01 the ages are 60 s and 300 s. */
const severityAt = (seconds: number, rules: LimitRules): string | undefined => {
  const { finding } = judgeJob(untouched, [], at(seconds), rules);
  return finding?.state === "stuck" ? finding.severity : finding?.state;
};
const ages = { warningMs: 2_000, criticalMs: 4_000 };

describe("rules for ages", () => {
  it.each<[string, LimitRules, boolean]>([
    ["name the kind alone", [{ kind: "S01", ages }], true],
    ["name another kind", [{ kind: "S02", ages }], false],
    ["name its namespace", [{ kind: "S01", namespace: "shop", ages }], true],
    ["name another namespace", [{ kind: "S01", namespace: "bank", ages }], false],
    ["name its label", [{ kind: "S01", labels: parseLabelSelector("team=data"), ages }], true],
    ["name another label", [{ kind: "S01", labels: parseLabelSelector("team=web"), ages }], false],
    [
      "name both, and one is another's",
      [{ kind: "S01", namespace: "bank", labels: parseLabelSelector("team"), ages }],
      false,
    ],
  ])("that %s", (_, rules, holds) => {
    expect(severityAt(2, rules)).toBe(holds ? "warning" : "watching");
    expect(severityAt(4, rules)).toBe(holds ? "critical" : "watching");
  });

  it("leave the ages that they do not name", () => {
    const rules = [{ kind: "S01", ages: { warningMs: 2_000 } }];
    expect(severityAt(299, rules)).toBe("warning");
    expect(severityAt(300, rules)).toBe("critical");
  });

  it("give way to later ones, age by age", () => {
    const rules = [
      { kind: "S01", ages },
      { kind: "S01", namespace: "shop", ages: { warningMs: 3_000 } },
    ];
    expect(severityAt(2, rules)).toBe("watching");
    expect(severityAt(3, rules)).toBe("warning");
    expect(severityAt(4, rules)).toBe("critical");
  });

  it("go by the labels of the controller too, where it is known", () => {
    const rules = [{ kind: "S01", labels: parseLabelSelector("tier=gold"), ages }];
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "export", uid: "uid-of-export", controller: true };
    const owned = job({ metadata: { ownerReferences: [owner] }, status: {} });
    const world = new Snapshot();
    const verdict = (): string | undefined =>
      verdictOn({ resource: resources.jobs, object: owned, order: jobOrder }, world, at(2), rules).finding?.state;
    expect(verdict()).toBe("watching");
    const cronJob = { metadata: meta("export", { labels: { tier: "gold" } }), spec: {}, status: {} };
    world.set(resources.cronJobs, cronJob);
    expect(verdict()).toBe("stuck");
  });

  it("are due when they say", () => {
    expect(judgeJob(untouched, [], at(0), [{ kind: "S01", ages }]).dueAt).toBe(at(2));
  });
});
