import type { DeepReadonly, Lease } from "../resources/index.ts";

/**
 * What a Lease is for. election: its holder leads and renews it. heartbeat: it only says that its holder lives. lock: it is held for
 * the length of one piece of work, and nobody renews it.
 */
export type LeaseClass = "election" | "heartbeat" | "lock";

/** Every kubelet renews its lease there every ten seconds, and none of them is a lock. */
export const NODE_LEASES = "kube-node-lease";

/** kube-apiserver's own heartbeat. */
const API_SERVER_LABEL = "apiserver.kubernetes.io/identity";

/** `run`, `cluster`: leases that a Job holds. */
const RUN_LEASE_LABEL = "captf.io/lease";

/** Of the locks of the Terraform and OpenTofu backend "kubernetes": `lock-tfstate-<workspace>-<suffix>`. */
const STATE_LOCK_PREFIX = "lock-tfstate-";
const STATE_LABEL = "tfstate";

/** Leaders renew every few seconds; whoever holds a lease for longer than this without a renewal does a piece of work. */
const LONGEST_ELECTION_S = 300;

export function leaseClassOf(lease: DeepReadonly<Lease>): LeaseClass {
  const { metadata, spec } = lease;
  if (isDeclaredLock(lease)) return "lock";
  const ofNode = metadata.namespace === NODE_LEASES || metadata.ownerReferences?.some(({ kind }) => kind === "Node");
  if (ofNode || metadata.labels?.[API_SERVER_LABEL] !== undefined) return "heartbeat";
  return isRenewed(spec) ? "election" : "lock";
}

/** It says of itself that it is held by a Job or a process: then a holder that does not exist means that nobody holds it. */
export function isDeclaredLock({ metadata }: DeepReadonly<Lease>): boolean {
  const { name, labels = {}, ownerReferences = [] } = metadata;
  return (
    labels[RUN_LEASE_LABEL] !== undefined ||
    labels[STATE_LABEL] === "true" ||
    name.startsWith(STATE_LOCK_PREFIX) ||
    ownerReferences.some(({ kind }) => kind === "Pod" || kind === "Job")
  );
}

function isRenewed({ acquireTime, renewTime, leaseDurationSeconds = 0 }: DeepReadonly<Lease["spec"]>): boolean {
  if (renewTime === undefined) return false;
  if (acquireTime === undefined || Date.parse(renewTime) > Date.parse(acquireTime)) return true;
  return leaseDurationSeconds > 0 && leaseDurationSeconds <= LONGEST_ELECTION_S;
}
