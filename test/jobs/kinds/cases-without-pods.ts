import { job } from "../objects.ts";
import type { KindCase } from "./kind-case.ts";
import { eventAbout, podOf, type Scene } from "./scene.ts";

const waiting = job({ status: { startTime: "2026-01-02T03:04:05Z", ready: 0 } });
const running = job({ status: { startTime: "2026-01-02T03:04:05Z", active: 1, ready: 1 } });
/** Indexes 0 and 1 are done, 2 and 3 have failed, 4 is left. */
const indexed = job({
  spec: { completionMode: "Indexed", completions: 5, parallelism: 2, backoffLimitPerIndex: 1 },
  status: { startTime: "2026-01-02T03:04:05Z", succeeded: 2, failed: 4, completedIndexes: "0,1", failedIndexes: "2-3" },
});
const HOURS = 6 * 3_600;

/** Refused from the first second on, and again and again. */
function refused(why: string): Scene {
  return {
    job: waiting,
    events: [
      eventAbout("export-1", "FailedCreate", { message: `Error creating: ${why}`, first: 1, last: HOURS, count: 40 }),
    ],
  };
}

function admittedLater(scene: Scene): KindCase["twin"] {
  return { but: "a pod was admitted", scene: { ...scene, job: running, pods: [podOf()] } };
}

const quota = refused(
  'pods "export-1-abcde" is forbidden: exceeded quota: compute, requested: cpu=2, used: cpu=8, limited: cpu=8',
);
const webhookDown = refused(
  'Internal error occurred: failed calling webhook "vpods.example.com": failed to call webhook: Post "https://hook.ops.svc:443/": connection refused',
);
const denied = refused('admission webhook "images.example.com" denied the request: exceeded quota: none of yours');
const noAccount = refused(
  'pods "export-1-abcde" is forbidden: error looking up service account shop/exporter: serviceaccount "exporter" not found',
);

export const casesWithoutPods: readonly KindCase[] = [
  {
    id: "S01",
    scene: { job: job({ status: {} }) },
    reason: "StatusEmpty",
    since: 0,
    cause: "Job controller",
    twin: { but: "it is suspended", scene: { job: job({ status: {}, spec: { suspend: true } }) } },
  },
  {
    id: "S02",
    scene: { job: job({ status: {}, spec: { managedBy: "kueue.x-k8s.io/multiqueue" } }) },
    reason: "NoStatusWritten",
    since: 0,
    cause: "manager kueue.x-k8s.io/multiqueue",
    twin: {
      but: "its status moves",
      scene: { job: job({ spec: { managedBy: "kueue.x-k8s.io/multiqueue" } }) },
    },
  },
  {
    id: "S03",
    scene: quota,
    reason: "QuotaRefused",
    since: 1,
    cause: "quota shop/compute",
    twin: admittedLater(quota),
  },
  {
    id: "S04",
    case: "a webhook that does not answer",
    scene: webhookDown,
    reason: "WebhookFailed",
    since: 1,
    cause: "webhook vpods.example.com",
    twin: admittedLater(webhookDown),
  },
  {
    id: "S04",
    case: "a webhook that denies",
    scene: denied,
    reason: "WebhookDenied",
    since: 1,
    cause: "webhook images.example.com",
    limits: { infoMs: 180_000, warningMs: 1_800_000, criticalMs: 14_400_000 },
    twin: admittedLater(denied),
  },
  {
    id: "S05",
    scene: { job: waiting, events: [] },
    reason: "NoAttempts",
    since: 0,
    cause: "Job controller",
    twin: {
      but: "it wants no pods: parallelism is 0",
      scene: { job: { ...waiting, spec: { ...waiting.spec, parallelism: 0 } }, events: [] },
    },
  },
  {
    id: "S06",
    scene: noAccount,
    reason: "ServiceAccountMissing",
    since: 1,
    cause: "serviceaccount shop/exporter",
    twin: admittedLater(noAccount),
  },
  {
    id: "S40",
    case: "no pod for the indexes that are left",
    scene: { job: indexed },
    reason: "NoPodForIndex",
    since: 0,
    twin: {
      but: "a pod of another index runs",
      scene: { job: { ...indexed, status: { ...indexed.status, active: 1, ready: 1 } }, pods: [podOf()] },
    },
  },
  {
    id: "S40",
    case: "more failed than may",
    scene: { job: { ...indexed, spec: { ...indexed.spec, maxFailedIndexes: 1 } } },
    reason: "MaxFailedIndexesPassed",
    since: 0,
    twin: {
      but: "a pod of another index still runs",
      scene: {
        job: {
          ...indexed,
          spec: { ...indexed.spec, maxFailedIndexes: 1 },
          status: { ...indexed.status, active: 1, ready: 1 },
        },
        pods: [podOf()],
      },
    },
  },
];
