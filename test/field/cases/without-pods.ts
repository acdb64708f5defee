import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import { HOUR, iso, MINUTE } from "../time.ts";
import { changed, complete, cronJob, job, ownerReferences, pod, running, warning, wire, type Wire } from "../wire.ts";

const STARTED = { startTime: iso(0) };

const QUOTA_TEXT =
  'Error creating: pods "export-1-k7w2p" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=20, limited: pods=20';
const WEBHOOK_TEXT =
  'Error creating: Internal error occurred: failed calling webhook "mpod.operator.example.com": failed to call webhook: Post "https://operator.platform.svc:443/mutate": connect: connection refused';
const DENIED_TEXT =
  'Error creating: admission webhook "mpod.operator.example.com" denied the request: label team is missing';
const ACCOUNT_TEXT =
  'Error creating: pods "export-1-" is forbidden: error looking up service account shop/exporter: serviceaccount "exporter" not found';
const POLICY_TEXT =
  'Error creating: admission webhook "images.policy.example.com" denied the request: image registry.example/main:v1 is not signed';

/** The owner, created with its Job, which it controls. */
function ownedJob(index: number, kind: string): readonly [Wire, Wire] {
  const owner = wire("example.com/v1", kind, `owner-${index}`, index);
  const namespace = `team-${index}`;
  const metadata = { namespace, ownerReferences: ownerReferences(owner) };
  return [owner, job(`work-${index}`, index, { metadata, status: { startTime: iso(index) } })];
}

/** Jobs of one hourly CronJob, the oldest first, none of which anybody has touched. */
const policyCron = cronJob("report", -60 * HOUR, "0 * * * *", {
  spec: { concurrencyPolicy: "Allow" },
  status: { lastScheduleTime: iso(0) },
});
const policyJobs = Array.from({ length: 50 }, (_, index) => {
  const created = (index - 49) * HOUR;
  return job(`report-${index}`, created, { metadata: { ownerReferences: ownerReferences(policyCron) }, status: {} });
});

export const withoutPodsCases: readonly FieldCase[] = [
  {
    id: "A02",
    url: "https://github.com/kubernetes/kubernetes/issues/90124",
    symptom: "A quota refuses the Job's pods, and no condition of the Job says so.",
    twin: "Two refusals, then there is room and the pod starts.",
    tell(tape, healthy) {
      const refused = job("export-1", 0, { status: STARTED });
      const quota = wire("v1", "ResourceQuota", "compute", -HOUR, {
        status: { hard: { pods: "20" }, used: { pods: "20" } },
      });
      tape.add(0, quota, refused);
      const times = healthy ? 2 : 40;
      tape.add(1, warning(refused, "FailedCreate", QUOTA_TEXT, { first: 1 }));
      for (let count = 2; count <= times; count += 1) {
        const last = (count - 1) * 46;
        tape.change(last, warning(refused, "FailedCreate", QUOTA_TEXT, { first: 1, last, count }));
      }
      if (!healthy) return;
      tape.add(60, pod(refused, 60, { status: running(61) }));
      tape.change(61, changed(refused, { status: { active: 1, ready: 1 } }));
    },
    end: 31 * MINUTE,
    restartAt: 8 * MINUTE,
    verdicts: [
      { at: 4 * MINUTE, findings: [] },
      { at: 10 * MINUTE, findings: [{ kind: "S03", object: "Job/export-1", since: 1, severity: "warning" }] },
      { at: 31 * MINUTE, findings: [{ kind: "S03", object: "Job/export-1", since: 1, severity: "critical" }] },
    ],
  },
  {
    id: "A04",
    url: "https://github.com/kubernetes-sigs/jobset/issues/361",
    symptom: "One operator's webhook is down, and Jobs that have nothing to do with it cannot be started.",
    twin: "One owner whose pods the same webhook denies for what they are.",
    tell(tape, healthy) {
      for (const index of healthy ? [1] : [1, 2, 3, 4, 5]) {
        const [owner, work] = ownedJob(index, "JobSet");
        const text = healthy ? DENIED_TEXT : WEBHOOK_TEXT;
        const first = index * 20;
        tape.add(index, owner, work);
        tape.add(first, warning(work, "FailedCreate", text, { first }));
        for (let count = 2; count <= 5; count += 1) {
          const last = first + count * 2 * MINUTE;
          tape.change(last, warning(work, "FailedCreate", text, { first, last, count }));
        }
      }
    },
    end: 15 * MINUTE,
    restartAt: 6 * MINUTE,
    verdicts: [
      { at: 3 * MINUTE, findings: [] },
      { at: 8 * MINUTE, findings: webhookFindings("warning") },
      { at: 15 * MINUTE, findings: webhookFindings("critical") },
    ],
  },
  {
    id: "A06",
    url: "https://github.com/kubernetes/kubernetes/issues/100726",
    symptom: "The ServiceAccount does not exist; the status of the Job stays empty.",
    twin: "The ServiceAccount is made 20 s later and the pod appears.",
    tell(tape, healthy) {
      const untouched = job("export-1", 0, { status: {} });
      tape.add(0, untouched);
      tape.add(1, warning(untouched, "FailedCreate", ACCOUNT_TEXT, { first: 1 }));
      if (healthy) {
        tape.add(21, pod(untouched, 21, { status: running(23) }));
        tape.change(22, changed(untouched, { status: { startTime: iso(21), active: 1, ready: 1 } }));
        return;
      }
      for (let count = 2; count <= 12; count += 1) {
        const last = count * MINUTE;
        tape.change(last, warning(untouched, "FailedCreate", ACCOUNT_TEXT, { first: 1, last, count }));
      }
    },
    end: 12 * MINUTE,
    restartAt: 5 * MINUTE,
    verdicts: [
      { at: 90, findings: [] },
      { at: 3 * MINUTE, findings: [{ kind: "S06", object: "Job/export-1", since: 1, severity: "warning" }] },
      { at: 11 * MINUTE, findings: [{ kind: "S06", object: "Job/export-1", since: 1, severity: "critical" }] },
    ],
  },
  {
    id: "A07",
    url: "https://github.com/hjacobs/kube-job-cleaner/pull/9",
    symptom:
      "A policy for images denies the pods and the status of 50 Jobs of a CronJob stays empty, so that its history limits never apply.",
    twin: "One such Job, 30 s old, which is then started.",
    retold:
      "Events live for an hour, so the denial is only known of the newest Job; of the others, that nobody touched them.",
    tell(tape, healthy) {
      tape.list(0, "batch/v1", "CronJob", [policyCron]);
      const newest = policyJobs.at(-1) as Wire;
      if (healthy) {
        tape.add(0, newest);
        tape.add(30, pod(newest, 30, { status: running(32) }));
        tape.change(31, changed(newest, { status: { startTime: iso(30), active: 1, ready: 1 } }));
        tape.change(90, changed(newest, { status: complete(30, 90) }));
        return;
      }
      tape.list(0, "batch/v1", "Job", policyJobs);
      tape.add(1, warning(newest, "FailedCreate", POLICY_TEXT, { first: 1 }));
      for (let count = 2; count <= 8; count += 1) {
        const last = count * 5 * MINUTE;
        tape.change(last, warning(newest, "FailedCreate", POLICY_TEXT, { first: 1, last, count }));
      }
    },
    end: 40 * MINUTE,
    restartAt: 20 * MINUTE,
    verdicts: [
      { at: 10 * MINUTE, findings: policyFindings("info") },
      { at: 40 * MINUTE, findings: policyFindings("warning") },
    ],
  },
  {
    id: "A50",
    url: "https://github.com/kubernetes/kubernetes/issues/126510",
    symptom:
      "The handler of Job events is slow and its buffer grows without bound: each new Job waits longer than the one before.",
    twin: "The same Jobs, each touched within a second.",
    retold: "Ten Jobs instead of 2000 updates a second; what a lag a cache has is shown with the lag bounds, not here.",
    tell(tape, healthy) {
      for (let index = 0; index < 10; index += 1) {
        const created = index * 30;
        const waits = healthy ? 1 : index * 40;
        const work = job(`batch-${index}`, created, { status: {} });
        const started = created + waits;
        tape.add(created, work);
        tape.add(started, pod(work, started, { status: running(started) }));
        tape.change(started, changed(work, { status: { startTime: iso(started), active: 1, ready: 1 } }));
      }
    },
    end: 11 * MINUTE,
    restartAt: 5 * MINUTE,
    verdicts: [
      // At 340 s the Jobs up to the fifth are started; the first that is not was made at 150 s.
      { at: 325, findings: untouchedFindings([5, 6, 7, 8], 325) },
      { at: 11 * MINUTE, findings: [] },
    ],
  },
];

function webhookFindings(severity: "warning" | "critical"): readonly ExpectedFinding[] {
  return [1, 2, 3, 4, 5].map((index) => ({
    kind: "S04",
    reason: "WebhookFailed",
    object: `Job/work-${index}`,
    owner: `JobSet/owner-${index}`,
    since: index * 20,
    severity,
  }));
}

/** The newest Job is known to be denied, which is no more than info for half an hour; the CronJob has more than it should keep. */
function policyFindings(severity: "info" | "warning"): readonly ExpectedFinding[] {
  const owner = "CronJob/report";
  const untouched = policyJobs.slice(0, -1).map((_, index): ExpectedFinding => ({
    kind: "S01",
    object: `Job/report-${index}`,
    owner,
    since: (index - 49) * HOUR,
    severity: "critical",
  }));
  return [
    ...untouched,
    { kind: "S04", reason: "WebhookDenied", object: "Job/report-49", owner, since: 1, severity },
    // It keeps 3 + 1 Jobs; the thirteenth is the first beyond three times as many.
    { kind: "S31", object: "CronJob/report", since: (12 - 49) * HOUR, severity: "critical" },
  ];
}

function untouchedFindings(indexes: readonly number[], at: number): readonly ExpectedFinding[] {
  return indexes.map((index) => ({
    kind: "S01",
    object: `Job/batch-${index}`,
    since: index * 30,
    severity: at - index * 30 >= 5 * MINUTE ? "critical" : "warning",
  }));
}
