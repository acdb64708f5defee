import { genericParent } from "../../../src/jobs/index.ts";
import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import type { Tape } from "../tape.ts";
import { DAY, HOUR, iso, MINUTE } from "../time.ts";
import { changed, condition, ended, lease, micro, pod, running, wire, type Wire } from "../wire.ts";

/** Pods of a component come from a Deployment. */
function podNamed(
  name: string,
  created: number,
  status: object,
  metadata: Readonly<Record<string, unknown>> = {},
): Wire {
  const replicas = wire("apps/v1", "ReplicaSet", name, -DAY);
  const made = pod(replicas, created, { status, metadata: { name, labels: { app: "operator" }, ...metadata } });
  return { ...made, metadata: { ...made.metadata, uid: `pod-${name}-${created}` } };
}

interface Term {
  readonly holder: string;
  readonly acquired: number;
  readonly renewed: number;
}

function election(duration: number, { holder, acquired, renewed }: Term): Wire {
  return lease("operator-leader", -DAY, {
    spec: {
      holderIdentity: `${holder}_5c0f7a1e`,
      leaseDurationSeconds: duration,
      acquireTime: micro(acquired),
      renewTime: micro(renewed),
      leaseTransitions: 3,
    },
  });
}

/** The state lock of a Terraform workspace, as its backend "kubernetes" writes it. */
function stateLock(name: string, acquired: number, who: string): Wire {
  const info = { ID: "6f2b0c1d", Operation: "OperationTypeApply", Who: who, Created: iso(acquired) };
  return lease(name, acquired, {
    metadata: {
      labels: { tfstate: "true", tfstateWorkspace: "default" },
      annotations: { "app.terraform.io/lock-info": JSON.stringify(info) },
    },
    spec: { holderIdentity: "6f2b0c1d" },
  });
}

/** A lock that belongs to the pod which holds it, for as long as that pod exists. */
function podLock(of: Wire): Wire {
  const { apiVersion, kind, metadata } = of;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
  return lease("operator-lock", 1, {
    metadata: { ownerReferences: [owner] },
    spec: { holderIdentity: metadata.name, acquireTime: micro(1) },
  });
}

const LOCK = "lock-tfstate-default-network";
const RUNNER = "network-tf-runner";

/** The pod that holds a lock for life ends after an hour, in the way that `how` says, and stays. */
function lockForLife(tape: Tape, healthy: boolean, how: object): void {
  const leader = podNamed("operator-0", 0, running(1));
  const standby = podNamed("operator-1", 0, running(1));
  tape.list(0, "batch/v1", "Job", []);
  tape.add(0, leader, standby);
  tape.add(1, podLock(leader));
  if (!healthy) tape.change(HOUR, changed(leader, { status: how }));
}

export const leaseCases: readonly FieldCase[] = [
  {
    id: "D01",
    url: "https://github.com/kuberhealthy/kuberhealthy/issues/1533",
    symptom:
      "One renewal fails and nobody ever runs for election again: pods are Ready, metrics are served, and nothing is done for 19 hours.",
    twin: "Another pod leads 15 s after the last renewal.",
    tell(tape, healthy) {
      tape.add(0, podNamed("operator-0", -HOUR, running(-HOUR)), podNamed("operator-1", -HOUR, running(-HOUR)));
      tape.add(0, election(15, { holder: "operator-0", acquired: -HOUR, renewed: 0 }));
      for (let at = 10; at <= 60; at += 10) {
        tape.change(at, election(15, { holder: "operator-0", acquired: -HOUR, renewed: at }));
      }
      if (!healthy) return;
      for (let at = 75; at < 10 * MINUTE; at += 10) {
        tape.change(at, election(15, { holder: "operator-1", acquired: 75, renewed: at }));
      }
    },
    end: 19 * HOUR,
    twinEnd: 10 * MINUTE,
    restartAt: 5 * MINUTE,
    verdicts: [
      { at: 100, findings: [] },
      { at: 3 * MINUTE, findings: [silentFinding(75, "warning")] },
      { at: 19 * HOUR, findings: [silentFinding(75, "critical")] },
    ],
  },
  {
    id: "D06",
    url: "https://github.com/operator-framework/operator-lib/issues/158",
    symptom: "The pod that leads for life has Succeeded and stays; all others wait for ever.",
    twin: "The pod that leads runs.",
    retold: "The lock is a Lease owned by the pod; the report's is a ConfigMap, which is not read.",
    tell: (tape, healthy) => lockForLife(tape, healthy, ended(HOUR)),
    end: 3 * HOUR,
    restartAt: 2 * HOUR,
    verdicts: [
      { at: HOUR - 1, findings: [] },
      { at: HOUR + 15 * MINUTE, findings: [lockFinding(HOUR, "warning")] },
      { at: 3 * HOUR, findings: [lockFinding(HOUR, "critical")] },
    ],
  },
  {
    id: "D07",
    url: "https://github.com/operator-framework/operator-lib/issues/156",
    symptom: "The pod that leads for life was preempted and stays Failed; all others wait for ever.",
    twin: "The pod that leads runs.",
    retold: "The lock is a Lease owned by the pod; the report's is a ConfigMap, which is not read.",
    tell: (tape, healthy) => lockForLife(tape, healthy, { ...ended(HOUR, 143), reason: "Preempting" }),
    end: 3 * HOUR,
    restartAt: 2 * HOUR,
    verdicts: [{ at: HOUR + 15 * MINUTE, findings: [lockFinding(HOUR, "warning")] }],
  },
  {
    id: "D08",
    url: "https://github.com/grafana/grafana-operator/issues/158",
    symptom: "After an eviction every pod says for ever that it is not the leader.",
    twin: "The pod that leads runs.",
    retold: "The lock is a Lease owned by the pod; the report's is a ConfigMap, which is not read.",
    tell(tape, healthy) {
      const at = condition("DisruptionTarget", HOUR, { reason: "TerminationByKubelet" });
      lockForLife(tape, healthy, { phase: "Failed", reason: "Evicted", containerStatuses: [], conditions: [at] });
    },
    end: 3 * HOUR,
    restartAt: 2 * HOUR,
    verdicts: [{ at: HOUR + 15 * MINUTE, findings: [lockFinding(HOUR, "warning")] }],
  },
  {
    id: "D10",
    url: "https://github.com/kubernetes/kubernetes/issues/125530",
    symptom: "A failover takes 60 s with a lease of 25 s, as a connection is half open.",
    twin: "It takes 26 s.",
    tell(tape, healthy) {
      const gap = healthy ? 26 : 60;
      tape.add(0, podNamed("operator-0", -HOUR, running(-HOUR)), podNamed("operator-1", -HOUR, running(-HOUR)));
      tape.add(0, election(25, { holder: "operator-0", acquired: -HOUR, renewed: 0 }));
      for (let at = gap; at < 3 * MINUTE; at += 15) {
        tape.change(at, election(25, { holder: "operator-1", acquired: gap, renewed: at }));
      }
    },
    end: 3 * MINUTE,
    restartAt: 40,
    verdicts: [
      { at: 50, findings: [] },
      { at: 59, findings: [silentFinding(25, "warning")] },
      { at: 61, findings: [] },
    ],
  },
  {
    id: "D15",
    url: "https://github.com/Azure/AKS/issues/5862",
    symptom: "Leases that a removed component has left behind look like dead leaders.",
    twin: "The lease has no pod any more: the component is gone, which is what the report's alerts were about.",
    retold: "The report is the healthy side; beside it stands the same lease while a pod of the component still runs.",
    tell(tape, healthy) {
      tape.list(0, "v1", "Pod", healthy ? [] : [podNamed("operator-0", -DAY, running(-DAY))]);
      tape.add(0, election(15, { holder: "operator-0", acquired: -DAY, renewed: -HOUR }));
    },
    end: DAY,
    restartAt: HOUR,
    verdicts: [{ at: DAY, findings: [silentFinding(15 - HOUR, "critical")] }],
  },
  {
    id: "D17",
    url: "https://github.com/flux-iac/tofu-controller/issues/250",
    symptom: "A refresh of nodes kills a runner, and its state lock is held for days.",
    twin: "The runner is alive.",
    tell(tape, healthy) {
      const runner = podNamed(RUNNER, 0, running(1));
      tape.list(0, "batch/v1", "Job", []);
      tape.list(0, "v1", "Pod", [runner]);
      tape.add(30, stateLock(LOCK, 30, `runner@${RUNNER}`));
      if (!healthy) tape.remove(300, runner);
    },
    end: 3 * DAY,
    restartAt: DAY,
    verdicts: [
      { at: 290, findings: [] },
      { at: 30 * MINUTE, findings: [stateFinding("HolderMissing", 30, "warning")] },
      { at: 3 * DAY, findings: [stateFinding("HolderMissing", 30, "critical")] },
    ],
  },
  {
    id: "D18",
    url: "https://github.com/flux-iac/tofu-controller/issues/1876",
    symptom: "The state lock is older than the runner that wants it, so its plan fails for ever.",
    twin: "The lock was taken after the runner began.",
    parents: [
      genericParent({
        group: "example.com",
        version: "v1",
        kind: "Terraform",
        resource: "terraforms",
        namespaced: true,
      }),
    ],
    tell(tape, healthy) {
      const created = healthy ? 310 : 30;
      const message = `error acquiring the state lock: Lock Info: ID: 6f2b0c1d Operation: OperationTypePlan Who: runner@${RUNNER} Version: 1.8.2 Created: ${iso(created).replace("T", " ").replace("Z", ".123456 +0000 UTC")}`;
      const locked = condition("Ready", 330, { status: "False", reason: "StateLocked", message });
      const parent = wire("example.com/v1", "Terraform", "network", -DAY, { status: { conditions: [] } });
      const before = podNamed(RUNNER, 0, running(1));
      tape.list(0, "batch/v1", "Job", []);
      tape.list(0, "example.com/v1", "Terraform", [parent]);
      tape.list(0, "v1", "Pod", [before]);
      tape.remove(290, before);
      tape.add(300, podNamed(RUNNER, 300, running(301)));
      tape.change(330, changed(parent, { status: { conditions: [locked] } }));
    },
    end: DAY,
    restartAt: 2 * HOUR,
    verdicts: [
      { at: 10 * MINUTE, findings: [] },
      { at: 20 * MINUTE, findings: [lockedFinding("warning")] },
      { at: DAY, findings: [lockedFinding("critical")] },
    ],
  },
  {
    id: "D20",
    url: "https://github.com/opentofu/opentofu/issues/2997",
    symptom: "A crash leaves the state's lease held for ever.",
    twin: "The pod that holds it runs.",
    tell(tape, healthy) {
      const runner = podNamed("apply-5d", 0, running(1));
      tape.list(0, "batch/v1", "Job", []);
      tape.list(0, "v1", "Pod", [runner]);
      tape.add(30, stateLock(LOCK, 30, "root@apply-5d"));
      if (!healthy) tape.change(300, changed(runner, { status: ended(300, 137) }));
    },
    end: DAY,
    restartAt: 2 * HOUR,
    verdicts: [
      { at: 14 * MINUTE, findings: [] },
      { at: 16 * MINUTE, findings: [stateFinding("HolderFinished", 300, "warning")] },
      { at: DAY, findings: [stateFinding("HolderFinished", 300, "critical")] },
    ],
  },
  {
    id: "D22",
    url: "https://github.com/crossplane-contrib/provider-terraform/issues/291",
    symptom: "Each restart of a provider leaves the locks of its workspaces held; people delete them with a CronJob.",
    twin: "The provider has not been restarted.",
    tell(tape, healthy) {
      const before = podNamed("provider-a1", -HOUR, running(-HOUR));
      tape.list(0, "batch/v1", "Job", []);
      tape.list(0, "v1", "Pod", [before]);
      for (let index = 0; index < 40; index += 1) {
        tape.add(index + 1, stateLock(`lock-tfstate-default-w${index}`, index + 1, "root@provider-a1"));
      }
      if (healthy) return;
      tape.remove(60, before);
      tape.add(70, podNamed("provider-b2", 70, running(71)));
    },
    end: 2 * HOUR,
    restartAt: 20 * MINUTE,
    verdicts: [
      { at: 59, findings: [] },
      { at: 30 * MINUTE, findings: workspaceFindings("warning") },
      { at: 2 * HOUR, findings: workspaceFindings("critical") },
    ],
  },
];

function silentFinding(since: number, severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S38", reason: "LeaderSilent", object: "Lease/operator-leader", since, severity };
}

function lockFinding(since: number, severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S38", reason: "HolderFinished", object: "Lease/operator-lock", since, severity };
}

function stateFinding(reason: string, since: number, severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S38", reason, object: `Lease/${LOCK}`, since, severity };
}

function lockedFinding(severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S38", reason: "LockOlderThanHolder", object: "Terraform/network", since: 300, severity };
}

function workspaceFindings(severity: "warning" | "critical"): readonly ExpectedFinding[] {
  return Array.from({ length: 40 }, (_, index) => ({
    kind: "S38",
    reason: "HolderMissing",
    object: `Lease/lock-tfstate-default-w${index}`,
    since: index + 1,
    severity,
  }));
}
