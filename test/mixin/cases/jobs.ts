import type { ExpectedAlert, RuleCase } from "../rule-case.ts";

const target = 'job="stalewatch", instance="a:8443"';
const what =
  'kind="S13", reason="ImagePullBackOff", namespace="shop", owner_kind="CronJob", owner_name="export", resource="jobs"';
const first = `stalewatch_stuck_since_timestamp_seconds{${target}, ${what}, name="export-1"}`;
const second = `stalewatch_stuck_since_timestamp_seconds{${target}, ${what}, name="export-2"}`;
const replica = first.replace("a:8443", "b:8443");
const warningAge = `stalewatch_stuck_limit_seconds{${target}, kind="S13", severity="warning"}`;
const criticalAge = `stalewatch_stuck_limit_seconds{${target}, kind="S13", severity="critical"}`;
const limits = { [warningAge]: "600x90", [criticalAge]: "1800x90" };

function alert(severity: "warning" | "critical", age: string): ExpectedAlert {
  const critical = severity === "critical";
  return {
    severity,
    labels: { kind: "S13", reason: "ImagePullBackOff", namespace: "shop", owner_kind: "CronJob", owner_name: "export" },
    summary: `A Job of CronJob shop/export ${critical ? "has been stuck for long" : "is stuck"}.`,
    description: `A Job of CronJob shop/export has been stuck for ${age}: ImagePullBackOff (S13).${critical ? " It does not go on by itself." : ""}`,
  };
}

export const jobCases: readonly RuleCase[] = [
  {
    alert: "StalewatchJobStuck",
    name: "a Job is older than its kind's warning age",
    series: { [first]: "0x90", ...limits },
    at: "20m",
    fires: [alert("warning", "20m 0s")],
    twins: [
      { name: "it is younger", series: first, values: "900x90" },
      { name: "the kind's warning age is higher", series: warningAge, values: "3600x90" },
      { name: "it went on, and the alert outlived that long enough", series: first, values: "0x12 stale" },
    ],
  },
  {
    alert: "StalewatchJobStuck",
    name: "it is older than its kind's critical age, under both severities",
    series: { [first]: "0x90", ...limits },
    at: "40m",
    fires: [alert("warning", "40m 0s"), alert("critical", "40m 0s")],
    twins: [{ name: "it has recovered", series: first, values: "0x12 stale" }],
  },
  {
    alert: "StalewatchJobStuck",
    name: "the exporter is away for a few minutes",
    series: { [first]: "0x19 stale _x2 0x30", ...limits },
    at: "22m",
    fires: [alert("warning", "19m 0s")],
    twins: [{ name: "it was never stuck for long", series: first, values: "900x19 stale _x2 900x30" }],
  },
  {
    alert: "StalewatchJobStuck",
    name: "two runs of one owner, seen by two replicas, are one alert with the age of the older",
    series: { [first]: "0x90", [replica]: "0x90", [second]: "300x90", ...limits },
    at: "20m",
    fires: [alert("warning", "20m 0s")],
    twins: [{ name: "the kind's warning age is higher", series: warningAge, values: "3600x90" }],
  },
];
