import { describe, expect, it } from "vitest";
import { type Finding, Findings, stuckKinds } from "../../src/jobs/index.ts";
import { resources } from "../../src/resources/index.ts";
import { type Meter, noopMeter } from "../../src/telemetry/index.ts";
import { at, CREATED, createdMs, job, judgeJob, waitingPod } from "./objects.ts";

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name}${JSON.stringify(labels)}`;
}

/** Gauges as a map from name and labels to the value last set. */
function recordingMeter(): { meter: Meter; series: Map<string, number> } {
  const series = new Map<string, number>();
  const meter: Meter = {
    ...noopMeter,
    gauge: ({ name }) => ({
      labels: (labels) => ({
        set: (value) => void series.set(keyOf(name, labels), value),
        add: () => expect.unreachable("findings set their gauges"),
      }),
      remove: (labels) => void series.delete(keyOf(name, labels)),
    }),
  };
  return { meter, series };
}

function stuckJob(name: string, seconds: number, createdAfter = 0): Finding {
  const subject = job({
    metadata: { name, uid: name, creationTimestamp: new Date(at(createdAfter)).toISOString() },
    status: {},
  });
  return judgeJob(subject, [], at(seconds)).finding as Finding;
}

describe("Findings", () => {
  it("publishes a series while an object is stuck, and none once it recovers", () => {
    const { meter, series } = recordingMeter();
    const findings = new Findings({ meter });
    const before = [...series.keys()];
    findings.of(resources.jobs).set("shop/a", stuckJob("a", 120));
    findings.of(resources.jobs).set("shop/b", stuckJob("b", 120));
    const since = [...series].filter(([key]) => key.startsWith("stalewatch_stuck_since_timestamp_seconds"));
    expect(since).toHaveLength(2);
    expect(since[0]).toEqual([
      `stalewatch_stuck_since_timestamp_seconds${JSON.stringify({
        kind: "S01",
        reason: "StatusEmpty",
        severity: "warning",
        namespace: "shop",
        owner_kind: "Job",
        owner_name: "a",
        resource: "jobs",
        name: "a",
        cause: "Job controller",
      })}`,
      createdMs / 1_000,
    ]);
    const count = `stalewatch_stuck_objects${JSON.stringify({ kind: "S01", reason: "StatusEmpty", namespace: "shop" })}`;
    expect(series.get(count)).toBe(2);
    findings.of(resources.jobs).set("shop/a", undefined);
    expect(series.get(count)).toBe(1);
    findings.of(resources.jobs).set("shop/b", undefined);
    expect([...series.keys()]).toEqual(before);
  });

  it("publishes nothing of what is only watched", () => {
    const { meter, series } = recordingMeter();
    const findings = new Findings({ meter });
    const before = series.size;
    findings.of(resources.jobs).set("shop/a", stuckJob("a", 30));
    expect(series.size).toBe(before);
    expect(findings.list(at(30))).toEqual([]);
    expect(findings.list(at(30), { all: true })).toHaveLength(1);
  });

  it("moves the series when the reason changes", () => {
    const { meter, series } = recordingMeter();
    const findings = new Findings({ meter });
    const withPod = judgeJob(job(), [waitingPod("InvalidImageName")], at(3_600)).finding as Finding;
    findings.of(resources.jobs).set("shop/export-1", stuckJob("export-1", 120));
    findings.of(resources.jobs).set("shop/export-1", withPod);
    const since = [...series.keys()].filter((key) => key.includes("stuck_since"));
    expect(since).toHaveLength(1);
    expect(since[0]).toContain("InvalidImageName");
  });

  it("touches no series when a verdict is the same but for its words", () => {
    const { meter, series } = recordingMeter();
    const findings = new Findings({ meter });
    const of = findings.of(resources.jobs);
    of.set("shop/a", stuckJob("a", 120));
    const before = new Map(series);
    // Whoever touches them now would make them anew.
    series.clear();
    of.set("shop/a", { ...stuckJob("a", 121), evidence: ["more"] });
    expect(series.size).toBe(0);
    of.set("shop/a", { ...stuckJob("a", 121), cause: "another" });
    expect(series.size).toBeGreaterThan(0);
    expect(before.size).toBeGreaterThan(series.size);
    expect(of.get("shop/a")?.cause).toBe("another");
  });

  it("counts what is silenced apart, and gives it no series of its own", () => {
    const { meter, series } = recordingMeter();
    const findings = new Findings({ meter });
    const before = series.size;
    findings.of(resources.jobs).set("shop/a", { ...stuckJob("a", 120), silencedUntil: "2027-01-01T00:00:00Z" });
    expect([...series].slice(before)).toEqual([
      [`stalewatch_stuck_silenced_objects${JSON.stringify({ kind: "S01", namespace: "shop" })}`, 1],
    ]);
    findings.of(resources.jobs).set("shop/a", undefined);
    expect(series.size).toBe(before);
  });

  it("moves the series when it gets worse, and names what is shared", () => {
    const { meter, series } = recordingMeter();
    const findings = new Findings({ meter });
    const cause = `webhook ${"x".repeat(500)}\u001b`;
    for (const seconds of [120, 400]) findings.of(resources.jobs).set("shop/a", { ...stuckJob("a", seconds), cause });
    const since = [...series.keys()].filter((key) => key.includes("stuck_since"));
    expect(since).toHaveLength(1);
    expect(since[0]).toContain('"severity":"critical"');
    expect(since[0]).toContain(`"cause":"webhook ${"x".repeat(112)}"`);
  });

  it("keeps objects of one name and several kinds apart", () => {
    const findings = new Findings({ meter: noopMeter });
    findings.of(resources.jobs).set("shop/a", stuckJob("a", 120));
    findings.of(resources.cronJobs).set("shop/a", stuckJob("a", 120));
    findings.of(resources.jobs).set("shop/a", undefined);
    expect(findings.of(resources.jobs).get("shop/a")).toBeUndefined();
    expect(findings.of(resources.cronJobs).get("shop/a")).toBeDefined();
  });

  it("lists the worst first, then the oldest, with ages as of the time it is asked", () => {
    const findings = new Findings({ meter: noopMeter });
    findings.of(resources.jobs).set("shop/young", stuckJob("young", 120, 60));
    findings.of(resources.jobs).set("shop/old", stuckJob("old", 120));
    findings.of(resources.jobs).set("shop/oldest", stuckJob("oldest", 120, -600));
    const names = (seconds: number): string[] =>
      findings.list(at(seconds)).map(({ severity, object }) => `${severity} ${object.name}`);
    expect(names(120)).toEqual(["critical oldest", "warning old", "warning young"]);
    // Older, but no worse before the next verdict says so.
    expect(names(300)).toEqual(["critical oldest", "warning old", "warning young"]);
    expect(findings.list(at(300))[1]).toMatchObject({ since: CREATED, ageSeconds: 300 });
    findings.of(resources.jobs).set("shop/old", stuckJob("old", 300));
    expect(names(300)).toEqual(["critical oldest", "critical old", "warning young"]);
  });

  it("publishes the limits in force", () => {
    const { meter, series } = recordingMeter();
    const limits = [{ kind: "S13", ages: { warningMs: 8_000, criticalMs: 20_000 } }];
    expect(new Findings({ meter }, limits)).toBeDefined();
    const limit = (kind: string, severity: string): number | undefined =>
      series.get(`stalewatch_stuck_limit_seconds${JSON.stringify({ kind, severity })}`);
    expect(limit("S13", "warning")).toBe(8);
    expect(limit("S13", "critical")).toBe(20);
    for (const kind of stuckKinds.filter(({ id }) => id !== "S13")) {
      const { warningMs } = kind.limits;
      expect(limit(kind.id, "warning")).toBe(Number.isFinite(warningMs) ? warningMs / 1_000 : undefined);
    }
  });
});
