import type { ParentRules, ParentSchedule } from "./parent-rules.ts";

/** Words for "at work", as controllers use them in conditions and phases. */
const WORKING = [
  "Applying",
  "ApplyInProgress",
  "Creating",
  "Deploying",
  "Initializing",
  "InProgress",
  "Installing",
  "Pending",
  "Progressing",
  "ProgressingWithRetry",
  "Provisioning",
  "ProvisioningAndChecking",
  "Reconciling",
  "Running",
  "Upgrading",
];

const DESTROY = ["destroy", "delete", "cleanup", "uninstall", "teardown"];

/** Any kind with the usual conditions and status.observedGeneration, whose objects are the controllers of their Jobs. */
export function genericParent(resource: ParentRules["resource"]): ParentRules {
  return {
    resource,
    ready: ["Ready", "Available", "Succeeded"],
    agreeing: ["Synced"],
    working: WORKING,
    phase: "status.phase",
    jobs: { destroyOps: DESTROY },
    waits: {},
    schedules: [],
  };
}

const CAPTF_GROUP = "infrastructure.cluster.x-k8s.io";
const CAPTF_LABEL = "captf.infrastructure.cluster.x-k8s.io";

const GATE = "GateRequeue";
const STATE = "StateRequeue";
const RETRY_MAX = "RetryMax";

/** https://github.com/captf-io/cluster-api-provider-terraform */
const CAPTF_WAITS: ParentRules["waits"] = {
  WaitingForRunLease: GATE,
  WaitingForClusterOperation: GATE,
  WaitingForMachineOperations: GATE,
  WaitingForOwner: GATE,
  WaitingForOwnerMachine: GATE,
  WaitingForOwnerMachinePool: GATE,
  WaitingForBootstrapData: GATE,
  WaitingForClusterInfrastructure: GATE,
  WaitingForClusterExports: GATE,
  VariablesSourceNotFound: GATE,
  IdentityNotFound: GATE,
  MirrorPending: GATE,
  StateLost: STATE,
  StateLocked: STATE,
  StateCorrupt: STATE,
  StateEncrypted: STATE,
  StateInconsistent: STATE,
  PlanAwaitingApproval: RETRY_MAX,
  InputsTooLarge: RETRY_MAX,
  JobPolicyInvalid: RETRY_MAX,
};

const DRIFT: ParentSchedule = {
  name: "drift check",
  every: "spec.drift.intervalSeconds",
  last: "status.lastDriftCheck",
  ops: ["drift"],
};

/** The kinds of the Cluster API provider for Terraform. */
export const captfParents: readonly ParentRules[] = [
  captf("TerraformCluster", [DRIFT]),
  captf("TerraformMachine", [
    DRIFT,
    {
      name: "health check",
      every: "spec.remediation.healthCheckIntervalSeconds",
      enabledBy: "spec.remediation.annotateMachine",
      last: "status.lastRefresh",
      ops: ["refresh", "drift"],
    },
  ]),
  captf("TerraformMachinePool", [
    DRIFT,
    {
      name: "membership refresh",
      every: "spec.membershipRefreshIntervalSeconds",
      last: "status.lastRefresh",
      ops: ["refresh", "drift"],
    },
  ]),
];

function captf(kind: string, schedules: readonly ParentSchedule[]): ParentRules {
  const resource = `${kind.toLowerCase()}s`;
  return {
    resource: { group: CAPTF_GROUP, version: "v1alpha1", kind, resource, namespaced: true },
    ready: ["Ready"],
    agreeing: [],
    working: [],
    activeJob: "status.activeJob.name",
    jobs: {
      kindLabel: `${CAPTF_LABEL}/owner-kind`,
      nameLabel: `${CAPTF_LABEL}/owner-name`,
      opLabel: `${CAPTF_LABEL}/op`,
      readyOps: ["apply", "destroy"],
      destroyOps: ["destroy"],
    },
    finalizers: [`${kind.toLowerCase()}.${CAPTF_GROUP}`],
    waits: CAPTF_WAITS,
    schedules,
  };
}
