import { type DeepReadonly, isFinishedPod, type Lease, resources } from "../../resources/index.ts";
import { rfc3339, type Symptom } from "../finding.ts";
import { leaseClassOf } from "../lease-class.ts";
import { acquiredSince, HOLDER_GRACE_MS, holderOf, podNames } from "../lease-holder.ts";
import { type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";
import { heldByTheDeadPage } from "./s38-page.ts";

/** Without these, nothing that Jobs need happens; every cluster has them, so that a silent one is never a leftover. */
const ALWAYS_LED: ReadonlySet<string> = new Set(["kube-system/kube-controller-manager", "kube-system/kube-scheduler"]);

/** Pods are not watched for this: a lock whose holder is one is looked at again this often. */
const LOOK_AGAIN_MS = 5 * 60_000;

/** client-go tries every 2 s, and each of several may be in the middle of a call. */
const SILENT = { warningMs: 30_000, criticalMs: 5 * 60_000 };

const OWNER_LABELS = {
  kind: "captf.infrastructure.cluster.x-k8s.io/owner-kind",
  name: "captf.infrastructure.cluster.x-k8s.io/owner-name",
};

export const leaseOfTheDead: StuckKind<Lease> = {
  ...heldByTheDeadPage,
  startsAt(lease, world, now) {
    if (leaseClassOf(lease) === "election") return silentFrom(lease);
    if (leaseClassOf(lease) === "heartbeat" || !lease.spec.holderIdentity) return undefined;
    const judgedFrom = (acquiredSince(lease)?.sinceMs ?? now) + HOLDER_GRACE_MS + 1;
    if (now < judgedFrom) return judgedFrom;
    const { namespace = "" } = lease.metadata;
    const job = world.find(resources.jobs, { namespace, name: lease.spec.holderIdentity });
    return job === null ? now + LOOK_AGAIN_MS : undefined;
  },
  look(lease, world, now) {
    const leaseClass = leaseClassOf(lease);
    if (leaseClass === "heartbeat") return undefined;
    return leaseClass === "election" ? silentLeader(lease, world, now) : deadHolder(lease, world, now);
  },
};

function deadHolder(lease: DeepReadonly<Lease>, world: World, now: number): Symptom | undefined {
  const holder = holderOf(lease, world, now);
  if (holder === undefined || typeof holder === "string") return undefined;
  const { namespace = "", name, labels } = lease.metadata;
  const ownerKind = labels?.[OWNER_LABELS.kind];
  const ownerName = labels?.[OWNER_LABELS.name];
  return {
    reason: holder.reason,
    sinceMs: holder.sinceMs,
    sinceSource: holder.sinceSource,
    message: `${nameOf("Lease", lease)} is held and nobody lets go: ${holder.why}`,
    evidence: [evidenceOf(lease)],
    next: [
      command`kubectl -n ${namespace} get lease ${name} -o yaml`,
      command`kubectl -n ${namespace} get job,pod ${lease.spec.holderIdentity ?? ""}`,
    ],
    ...(ownerKind !== undefined && ownerName !== undefined ? { owner: { kind: ownerKind, name: ownerName } } : {}),
  };
}

function silentLeader(lease: DeepReadonly<Lease>, world: World, now: number): Symptom | undefined {
  const expiry = expiryOf(lease);
  if (!expiry || now < (silentFrom(lease) ?? 0)) return undefined;
  if (!isAlwaysLed(lease) && !isOfLivePod(lease, world)) return undefined;
  const { namespace = "", name } = lease.metadata;
  return {
    reason: "LeaderSilent",
    ...expiry,
    limits: SILENT,
    message: `${nameOf("Lease", lease)} ran out at ${rfc3339(expiry.sinceMs)} and nobody has taken over; its last leader was ${quoted(lease.spec.holderIdentity) || "one that has let go"}`,
    evidence: [evidenceOf(lease)],
    next: [
      command`kubectl -n ${namespace} get lease ${name} -o yaml`,
      command`kubectl -n ${namespace} get pods -o wide`,
    ],
    cause: `leader of ${nameOf("Lease", lease)}`,
  };
}

function isAlwaysLed({ metadata }: DeepReadonly<Lease>): boolean {
  return ALWAYS_LED.has(`${metadata.namespace}/${metadata.name}`);
}

/** From when on it is worth a look; whether a component is still there costs a read. */
function silentFrom(lease: DeepReadonly<Lease>): number | undefined {
  const expiry = expiryOf(lease)?.sinceMs;
  return expiry === undefined || isAlwaysLed(lease) ? expiry : expiry + SILENT.warningMs;
}

/** A pod of the component is there, so the lease is none that was left behind. */
function isOfLivePod(lease: DeepReadonly<Lease>, world: World): boolean {
  const { namespace = "" } = lease.metadata;
  return podNames(lease).some((name) => {
    const pod = world.find(resources.pods, { namespace, name });
    return pod !== undefined && pod !== null && !isFinishedPod(pod);
  });
}

function expiryOf({ spec }: DeepReadonly<Lease>): Since | undefined {
  const renewed = sinceOf(spec.renewTime, "Lease spec.renewTime + leaseDurationSeconds");
  return renewed && { ...renewed, sinceMs: renewed.sinceMs + (spec.leaseDurationSeconds ?? 0) * 1_000 };
}

function evidenceOf(lease: DeepReadonly<Lease>): string {
  const { holderIdentity, acquireTime, renewTime, leaseDurationSeconds } = lease.spec;
  return `${nameOf("Lease", lease)}: holder ${quoted(holderIdentity) || "none"}, acquired ${acquireTime ?? "at no known time"}, renewed ${renewTime ?? "never"}, duration ${leaseDurationSeconds ?? 0} s`;
}
