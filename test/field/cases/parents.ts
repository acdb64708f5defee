import { genericParent, type ParentRules } from "../../../src/jobs/index.ts";
import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import { DAY, HOUR, iso, MINUTE } from "../time.ts";
import {
  changed,
  complete,
  condition,
  ended,
  failed,
  job,
  NAMESPACE,
  ownerReferences,
  pod,
  running,
  warning,
  wire,
  type Wire,
} from "../wire.ts";

/** A kind of the API group example.com that is read like any other. */
function rules(kind: string, more: Partial<ParentRules> = {}): readonly ParentRules[] {
  const resource = { group: "example.com", version: "v1", kind, resource: `${kind.toLowerCase()}s`, namespaced: true };
  return [{ ...genericParent(resource), ...more }];
}

const FINALIZED = { finalizers: ["example.com/destroy"] };

function jobOf(parent: Wire, name: string, created: number, status?: object): Wire {
  return job(name, created, { metadata: { ownerReferences: ownerReferences(parent) }, ...(status ? { status } : {}) });
}

export const parentCases: readonly FieldCase[] = [
  {
    id: "A26",
    url: "https://github.com/argoproj/argo-cd/issues/21055",
    symptom: "With a short TTL a hook's Job is gone before its result was read, and the sync waits for it.",
    twin: "The controller sees the Job's end and goes on.",
    parents: rules("Application", { activeJob: "status.operationState.hook" }),
    tell(tape, healthy) {
      const working = { operationState: { phase: "Running", hook: "migrate-1" } };
      const app = wire("example.com/v1", "Application", "shop", -DAY, { status: working });
      const hook = jobOf(app, "migrate-1", 1);
      const done = changed(hook, { spec: { ttlSecondsAfterFinished: 0 }, status: complete(1, 2) });
      tape.list(0, "example.com/v1", "Application", [app]);
      tape.add(1, hook);
      tape.change(2, done);
      if (healthy) tape.change(2, { ...app, status: { operationState: { phase: "Succeeded" } } });
      tape.remove(3, done);
    },
    end: 15 * MINUTE,
    restartAt: MINUTE,
    verdicts: [
      { at: 110, findings: [] },
      { at: 5 * MINUTE, findings: [lostFinding("warning")] },
      { at: 15 * MINUTE, findings: [lostFinding("critical")] },
    ],
  },
  {
    id: "A38",
    url: "https://github.com/kubevela/terraform-controller/issues/383",
    symptom: "The Job has failed and its parent says for ever that it is being provisioned.",
    twin: "The parent says that it failed, 30 s later.",
    parents: rules("Configuration", { phase: "status.apply.state" }),
    tell(tape, healthy) {
      const status = { apply: { state: "ProvisioningAndChecking" } };
      const parent = wire("example.com/v1", "Configuration", "network", -MINUTE, { status });
      const run = jobOf(parent, "network-apply", -50);
      tape.list(-30, "example.com/v1", "Configuration", [parent]);
      tape.list(-30, "batch/v1", "Job", [run]);
      tape.change(0, changed(run, { status: failed(-50, 0, "BackoffLimitExceeded", 7) }));
      if (healthy) tape.change(30, { ...parent, status: { apply: { state: "ApplyFailed" } } });
    },
    end: HOUR,
    restartAt: 20 * MINUTE,
    verdicts: [
      { at: 4 * MINUTE, findings: [] },
      { at: 6 * MINUTE, findings: [{ kind: "S36", object: "Configuration/network", since: 0, severity: "warning" }] },
      { at: HOUR, findings: [{ kind: "S36", object: "Configuration/network", since: 0, severity: "critical" }] },
    ],
  },
  {
    id: "A40",
    url: "https://github.com/kubevela/terraform-controller/issues/169",
    symptom: "A deletion waits for a provision that can never end, and no destroy Job is made.",
    twin: "A destroy Job runs.",
    parents: rules("Configuration"),
    tell(tape, healthy) {
      const parent = wire("example.com/v1", "Configuration", "network", -HOUR, { metadata: FINALIZED });
      const apply = jobOf(parent, "network-apply", -HOUR);
      tape.list(-30, "example.com/v1", "Configuration", [parent]);
      tape.list(-30, "batch/v1", "Job", [apply]);
      tape.list(-30, "v1", "Pod", [pod(apply, -HOUR, { status: running(-HOUR) })]);
      tape.change(0, changed(parent, { metadata: { deletionTimestamp: iso(0) } }));
      if (!healthy) return;
      const destroy = jobOf(parent, "network-destroy", 5);
      tape.add(5, destroy);
      tape.add(6, pod(destroy, 6, { status: running(7) }));
    },
    end: 2 * HOUR,
    restartAt: HOUR,
    verdicts: [
      { at: 14 * MINUTE, findings: [] },
      { at: 16 * MINUTE, findings: [destroyFinding("Configuration/network", 0, "warning")] },
      { at: 2 * HOUR, findings: [destroyFinding("Configuration/network", 0, "critical")] },
    ],
  },
  {
    id: "A41",
    url: "https://github.com/GalleyBytes/terraform-operator/issues/104",
    symptom: "The destroy step fails three times, and the deletion hangs.",
    twin: "The destroy step succeeds and the finalizer goes.",
    parents: rules("Terraform"),
    tell(tape, healthy) {
      const parent = wire("example.com/v1", "Terraform", "network", -HOUR, { metadata: FINALIZED });
      const deleted = changed(parent, { metadata: { deletionTimestamp: iso(0) } });
      const destroy = jobOf(parent, "network-destroy", 5);
      tape.list(-30, "example.com/v1", "Terraform", [parent]);
      tape.change(0, deleted);
      tape.add(5, destroy);
      const last = pod(destroy, healthy ? 6 : 90, { status: running(92) }, "last");
      if (healthy) {
        tape.add(6, last);
        tape.change(99, changed(last, { status: ended(99) }));
        tape.change(100, changed(destroy, { status: complete(5, 100) }));
        tape.remove(102, deleted);
        return;
      }
      for (const pods of [1, 2]) {
        tape.add(pods * 30, pod(destroy, pods * 30, { status: ended(pods * 30 + 20, 1) }, `f${pods}`));
        tape.change(pods * 30 + 21, changed(destroy, { status: { failed: pods } }));
      }
      tape.add(90, last);
      tape.change(149, changed(last, { status: ended(149, 1) }));
      tape.change(150, changed(destroy, { status: failed(5, 150, "BackoffLimitExceeded", 3) }));
    },
    end: 3 * HOUR,
    restartAt: HOUR,
    verdicts: [
      { at: 16 * MINUTE, findings: [] },
      { at: 18 * MINUTE, findings: [destroyFinding("Terraform/network", 150, "warning")] },
      { at: 3 * HOUR, findings: [destroyFinding("Terraform/network", 150, "critical")] },
    ],
  },
  {
    id: "A42",
    url: "https://github.com/ray-project/kuberay/issues/3388",
    symptom: "The cleanup Job is refused as the namespace is being deleted, and the finalizer never goes.",
    twin: "The object is deleted before its namespace.",
    parents: rules("RayCluster", { finalizers: ["example.com/destroy"] }),
    tell(tape, healthy) {
      const ray = wire("example.com/v1", "RayCluster", "train", -HOUR, { metadata: FINALIZED });
      const deleted = changed(ray, { metadata: { deletionTimestamp: iso(5) } });
      const namespace = wire("v1", "Namespace", NAMESPACE, -DAY, { metadata: { namespace: undefined } });
      const going = (at: number) => changed(namespace, { metadata: { deletionTimestamp: iso(at) } });
      tape.list(-30, "v1", "Namespace", [namespace]);
      tape.list(-30, "batch/v1", "Job", []);
      tape.list(-30, "example.com/v1", "RayCluster", [ray]);
      tape.change(5, deleted);
      if (healthy) {
        const cleanup = jobOf(ray, "train-cleanup", 6);
        tape.add(6, cleanup);
        tape.change(60, changed(cleanup, { status: complete(6, 60) }));
        tape.remove(62, deleted);
        tape.remove(63, cleanup);
        tape.change(90, going(90));
        return;
      }
      const text = `jobs.batch "train-cleanup" is forbidden: unable to create new content in namespace ${NAMESPACE} because it is being terminated`;
      tape.change(0, going(0));
      tape.add(6, warning(ray, "FailedToCreateJob", text, { first: 6 }));
    },
    end: 3 * HOUR,
    restartAt: HOUR,
    verdicts: [
      { at: 14 * MINUTE, findings: [] },
      {
        at: 16 * MINUTE,
        findings: [{ ...destroyFinding("RayCluster/train", 5, "warning"), reason: "NamespaceTerminating" }],
      },
      {
        at: 3 * HOUR,
        findings: [{ ...destroyFinding("RayCluster/train", 5, "critical"), reason: "NamespaceTerminating" }],
      },
    ],
  },
  {
    id: "A44",
    url: "https://github.com/devantler-tech/platform/issues/2820",
    symptom: "Most resources say Ready=True and Synced=False at once.",
    twin: "Synced is False for 20 s.",
    parents: rules("Bucket"),
    tell(tape, healthy) {
      const ready = condition("Ready", -HOUR);
      const buckets = Array.from({ length: 20 }, (_, index) => {
        const status = { conditions: [ready, condition("Synced", -HOUR)] };
        return wire("example.com/v1", "Bucket", `bucket-${index}`, -HOUR, { status });
      });
      const synced = (one: Wire, at: number, status: string) =>
        changed(one, {
          status: { conditions: [ready, condition("Synced", at, { status, reason: "ReconcileError" })] },
        });
      tape.list(-30, "batch/v1", "Job", []);
      tape.list(-30, "example.com/v1", "Bucket", buckets);
      tape.change(0, ...buckets.slice(0, 17).map((one) => synced(one, 0, "False")));
      if (healthy) tape.change(20, ...buckets.slice(0, 17).map((one) => synced(one, 20, "True")));
    },
    end: HOUR,
    restartAt: 20 * MINUTE,
    verdicts: [
      { at: 4 * MINUTE, findings: [] },
      { at: 6 * MINUTE, findings: bucketFindings("warning") },
      { at: HOUR, findings: bucketFindings("critical") },
    ],
  },
];

function lostFinding(severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S30", object: "Application/shop", since: 3, observed: true, severity };
}

function destroyFinding(object: string, since: number, severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S37", object, since, severity };
}

function bucketFindings(severity: "warning" | "critical"): readonly ExpectedFinding[] {
  return Array.from({ length: 17 }, (_, index) => ({
    kind: "S36",
    object: `Bucket/bucket-${index}`,
    since: 0,
    severity,
  }));
}
