import type { ExpectedAlert, RuleCase } from "../rule-case.ts";

const target = 'job="stalewatch", instance="a:8443"';
const what =
  'kind="S13", reason="ImagePullBackOff", namespace="shop", owner_kind="CronJob", owner_name="export", resource="jobs"';
const since = (labels: string): string => `stalewatch_stuck_since_timestamp_seconds{${target}, ${labels}}`;
const warning = since(`${what}, name="export-1", severity="warning"`);
const critical = since(`${what}, name="export-1", severity="critical"`);
const silentSoFar = since(`${what}, name="export-1", severity="info"`);

function alert(severity: "warning" | "critical", age: string): ExpectedAlert {
  const isCritical = severity === "critical";
  return {
    severity,
    labels: { kind: "S13", reason: "ImagePullBackOff", namespace: "shop", owner_kind: "CronJob", owner_name: "export" },
    summary: `A Job of CronJob shop/export ${isCritical ? "has been stuck for long" : "is stuck"}.`,
    description: `A Job of CronJob shop/export has been stuck for ${age}: ImagePullBackOff (S13).${isCritical ? " It does not go on by itself." : ""}`,
  };
}

const blocked =
  'kind="S32", reason="ForbidBlocked", namespace="shop", owner_kind="CronJob", owner_name="export", resource="cronjobs", name="export"';
const blockedCronJob = since(`${blocked}, severity="warning"`);
const ownerLabels = {
  kind: "S32",
  reason: "ForbidBlocked",
  namespace: "shop",
  owner_kind: "CronJob",
  owner_name: "export",
};

const cause = "webhook deny.example.com";
function heldUp(owner: string, severity: "warning" | "critical", by = cause): string {
  const refused = `kind="S04", reason="WebhookFailed", namespace="shop", owner_kind="CronJob", owner_name="${owner}"`;
  return since(`${refused}, resource="jobs", name="${owner}-1", severity="${severity}", cause="${by}"`);
}
const four = ["a", "b", "c", "d"];
function fourAnd(fifth: string, severity: "warning" | "critical"): Readonly<Record<string, string>> {
  return Object.fromEntries([...four.map((owner) => heldUp(owner, severity)), fifth].map((name) => [name, "0x90"]));
}

/** Each kind that one controller's absence shows as: five owners, one page. */
const unattended = [
  'kind="S01", reason="StatusEmpty"',
  'kind="S05", reason="NoAttempts"',
  'kind="S19", reason="DeadlinePassed"',
  'kind="S22", reason="NotWritten"',
  'kind="S25", reason="PodsEnded"',
].map((what, at) => {
  const owner = `owner_kind="CronJob", owner_name="run-${at}", resource="jobs", name="run-${at}-1"`;
  return since(`${what}, namespace="shop", ${owner}, severity="warning", cause="Job controller"`);
});
const [first = ""] = unattended;

export const jobCases: readonly RuleCase[] = [
  {
    alert: "StalewatchJobStuck",
    name: "a Job is stuck for as long as its kind's warning age",
    series: { [warning]: "0x90" },
    at: "20m",
    fires: [alert("warning", "20m 0s")],
    twins: [
      { name: "it is only worth knowing of", series: warning, renamed: silentSoFar },
      { name: "it went on, and the alert outlived that long enough", series: warning, values: "0x12 stale" },
      { name: "it has been so for less than a minute", series: warning, values: "stale _x19 0x30" },
    ],
  },
  {
    alert: "StalewatchJobStuck",
    name: "it is older than its critical age, under both severities and without a pause",
    series: { [warning]: "0x30 stale", [critical]: "_x31 0x60" },
    at: "40m",
    fires: [alert("warning", "40m 0s"), alert("critical", "40m 0s")],
    twins: [{ name: "it has recovered", series: critical, values: "_x31 stale" }],
  },
  {
    alert: "StalewatchJobStuck",
    name: "the exporter is away for a few minutes",
    series: { [warning]: "0x19 stale _x2 0x30" },
    at: "22m",
    fires: [alert("warning", "19m 0s")],
    twins: [{ name: "it was only worth knowing of", series: warning, renamed: silentSoFar }],
  },
  {
    alert: "StalewatchJobStuck",
    name: "two runs of one owner, seen by two replicas, are one alert with the age of the older",
    series: {
      [warning]: "0x90",
      [warning.replace("a:8443", "b:8443")]: "0x90",
      [warning.replace("export-1", "export-2")]: "300x90",
    },
    at: "20m",
    fires: [alert("warning", "20m 0s")],
    twins: [],
  },
  {
    alert: "StalewatchJobStuck",
    name: "four others have the same cause, but another",
    series: fourAnd(heldUp("e", "warning", "webhook other.example.com"), "warning"),
    at: "10m",
    fires: [...four, "e"].map((owner) => ({
      severity: "warning",
      labels: {
        kind: "S04",
        reason: "WebhookFailed",
        namespace: "shop",
        owner_kind: "CronJob",
        owner_name: owner,
        cause: owner === "e" ? "webhook other.example.com" : cause,
      },
      summary: `A Job of CronJob shop/${owner} is stuck.`,
      description: `A Job of CronJob shop/${owner} has been stuck for 10m 0s: WebhookFailed (S04).`,
    })),
    twins: [
      {
        name: "the fifth shares it, so that there is one alert for all",
        series: heldUp("e", "warning", "webhook other.example.com"),
        renamed: heldUp("e", "warning"),
      },
    ],
  },
  {
    alert: "StalewatchJobOwnerStuck",
    name: "a CronJob is blocked",
    series: { [blockedCronJob]: "0x90" },
    at: "20m",
    fires: [
      {
        severity: "warning",
        labels: ownerLabels,
        summary: "CronJob shop/export makes no progress.",
        description: "CronJob shop/export has made no progress for 20m 0s: ForbidBlocked (S32).",
      },
    ],
    twins: [{ name: "it goes on", series: blockedCronJob, values: "0x12 stale" }],
  },
  {
    alert: "StalewatchJobOwnerStuck",
    name: "a CronJob has been blocked for long",
    series: { [since(`${blocked}, severity="critical"`)]: "0x90" },
    at: "60m",
    fires: [
      {
        severity: "warning",
        labels: ownerLabels,
        summary: "CronJob shop/export makes no progress.",
        description: "CronJob shop/export has made no progress for 1h 0m 0s: ForbidBlocked (S32).",
      },
      {
        severity: "critical",
        labels: ownerLabels,
        summary: "CronJob shop/export has made no progress for long.",
        description:
          "CronJob shop/export has made no progress for 1h 0m 0s: ForbidBlocked (S32). It does not go on by itself.",
      },
    ],
    twins: [{ name: "a Job of it is", series: since(`${blocked}, severity="critical"`), renamed: critical }],
  },
  {
    alert: "StalewatchSharedCause",
    name: "five owners are held up by one webhook",
    series: fourAnd(heldUp("e", "warning"), "warning"),
    at: "10m",
    fires: [
      {
        severity: "warning",
        labels: { cause },
        summary: `Many are held up by ${cause}.`,
        description: `5 owners of Jobs are held up by one cause, ${cause}; each alone is not alerted while this lasts.`,
      },
    ],
    twins: [
      { name: "one of them has recovered", series: heldUp("e", "warning"), values: "0x1 stale" },
      {
        name: "one of them has another cause",
        series: heldUp("e", "warning"),
        renamed: heldUp("e", "warning", "webhook other.example.com"),
      },
      {
        name: "two of them are one owner's",
        series: heldUp("e", "warning"),
        renamed: heldUp("d", "warning").replace("d-1", "d-2"),
      },
    ],
  },
  {
    alert: "StalewatchSharedCause",
    name: "five owners have been held up for long",
    series: fourAnd(heldUp("e", "critical"), "critical"),
    at: "30m",
    fires: [
      {
        severity: "warning",
        labels: { cause },
        summary: `Many are held up by ${cause}.`,
        description: `5 owners of Jobs are held up by one cause, ${cause}; each alone is not alerted while this lasts.`,
      },
      {
        severity: "critical",
        labels: { cause },
        summary: `Many have been held up for long by ${cause}.`,
        description: `5 owners of Jobs have been held up for long by one cause, ${cause}; each alone is not alerted while this lasts.`,
      },
    ],
    twins: [{ name: "one of them has recovered", series: heldUp("e", "critical"), values: "0x1 stale" }],
  },
  {
    alert: "StalewatchSharedCause",
    name: "the Job controller restarts and does not come back: five owners' Jobs are stuck in five ways",
    series: Object.fromEntries(unattended.map((name) => [name, "0x90"])),
    at: "10m",
    fires: [
      {
        severity: "warning",
        labels: { cause: "Job controller" },
        summary: "Many are held up by Job controller.",
        description:
          "5 owners of Jobs are held up by one cause, Job controller; each alone is not alerted while this lasts.",
      },
    ],
    twins: [
      {
        name: "one of them waits for another controller",
        series: first,
        renamed: first.replace("Job controller", "TTL controller"),
      },
    ],
  },
];
