import type { KindPage } from "../stuck-kind.ts";

/** Of locks, whether a Lease says who holds them or the object that cannot get them. */
export const heldByTheDeadPage: KindPage = {
  id: "S38",
  name: "held-by-the-dead",
  sees: "a lock, run lease or locked state whose holder is no live Job or pod, or that is older than its holder's pod; or a leader election whose lease has run out while the last leader's pod runs",
  lookAlike:
    "a holder that runs, a terminating pod included; a holder that is about to be created, for a minute; a lease that a removed component left behind; heartbeat leases of nodes",
  means:
    "Whoever held the lease died without letting go, and everybody who needs it waits or fails with a message about a lock. Or a component has stopped to renew its leadership and nobody has taken over: it looks alive and does nothing.",
  remedy: [
    "Make sure that the holder is really gone: its Job, its pods, and whoever is named in the lock.",
    "Let the controller that owns the lease clear it; many do so once the lease is older than its duration.",
    "Terraform state: terraform force-unlock with the lock's id. Never edit the lease of a run that may still be going on.",
    "A silent leader: restart its pods.",
  ],
  limits: { warningMs: 10 * 60_000, criticalMs: 3_600_000 },
  source: [
    "https://github.com/flux-iac/tofu-controller/issues/250",
    "https://github.com/flux-iac/tofu-controller/issues/1876",
    "https://github.com/opentofu/opentofu/issues/2997",
    "https://github.com/crossplane-contrib/provider-terraform/issues/291",
    "https://github.com/kuberhealthy/kuberhealthy/issues/1533",
    "https://github.com/kubernetes/kubernetes/issues/125530",
    "https://github.com/Azure/AKS/issues/5862",
  ],
  reasons: ["HolderFinished", "HolderMissing", "LockOlderThanHolder", "LeaderSilent"],
};
