import { isFinishedJob } from "./finished.ts";
import type { Job } from "./job.ts";
import type { Lease } from "./lease.ts";
import type { DeepReadonly } from "./meta.ts";

/** Settings of a controller's run leases. */
export interface RunLeaseRules {
  /** An annotation with the time of acquisition (RFC 3339), believed before spec.acquireTime. */
  readonly acquiredAtAnnotation?: string;
  /** How long a lease whose holder does not exist stays held: the holder may be about to be created. A minute unless given. */
  readonly graceMs?: number;
  /** How old a lease without a positive leaseDurationSeconds may become. 75 minutes unless given: a Job's hour and a quarter more. */
  readonly backstopMs?: number;
}

/** What has been read of the Job that holds a lease. */
export interface HolderEvidence {
  /** null: there is no Job of this name. Undefined: not read yet. */
  readonly job?: DeepReadonly<Job> | null | undefined;
  /** Whether a pod of the Job has not ended, one that is being deleted included. Undefined: not read yet. */
  readonly podRuns?: boolean | undefined;
}

/** Whether a run lease holds back other runs, and why; or what must be read to say so. */
export type RunLeaseState =
  | { readonly live: false; readonly why: "no holder" | "backstop passed" | "holder finished" | "holder missing" }
  | { readonly live: true; readonly holder: string; readonly why: "holder runs" | "holder may come" | "pod runs" }
  | { readonly live: "unknown"; readonly holder: string; readonly needs: "job" | "pods" };

/**
 * Whether the lease is held. It is, unless it has no holder, is older than its backstop, or its holder Job has finished or is
 * missing for longer than the grace, and none of the Job's pods runs any more: pods outlive a Job that was deleted or ran into its
 * deadline. The backstop comes first, so that a pod which cannot stop does not hold the lease for ever.
 *
 * `now` is wall time in milliseconds. A lease taken in the future (a clock was set back) is taken for new, one that does not say
 * when it was taken as well: both stay held for too long rather than too short.
 */
export function runLeaseState(
  lease: DeepReadonly<Lease>,
  { job, podRuns }: HolderEvidence,
  now: number,
  rules: RunLeaseRules = {},
): RunLeaseState {
  const { graceMs = 60_000 } = rules;
  const holder = lease.spec.holderIdentity ?? "";
  if (holder === "") return { live: false, why: "no holder" };
  const ageMs = now - (acquiredAt(lease, rules) ?? now);
  if (ageMs > backstopMs(lease, rules)) return { live: false, why: "backstop passed" };
  if (job === undefined) return { live: "unknown", holder, needs: "job" };
  if (job && !isFinishedJob(job)) return { live: true, holder, why: "holder runs" };
  if (!job && ageMs <= graceMs) return { live: true, holder, why: "holder may come" };
  if (podRuns === undefined) return { live: "unknown", holder, needs: "pods" };
  if (podRuns) return { live: true, holder, why: "pod runs" };
  return { live: false, why: job ? "holder finished" : "holder missing" };
}

/** Wall time in milliseconds; undefined when the lease gives none that can be read. */
function acquiredAt({ metadata, spec }: DeepReadonly<Lease>, rules: RunLeaseRules): number | undefined {
  const noted = rules.acquiredAtAnnotation && metadata.annotations?.[rules.acquiredAtAnnotation];
  const times = [noted, spec.acquireTime, metadata.creationTimestamp].map((text) => Date.parse(text ?? ""));
  return times.find((at) => !Number.isNaN(at));
}

function backstopMs({ spec }: DeepReadonly<Lease>, rules: RunLeaseRules): number {
  const { leaseDurationSeconds = 0 } = spec;
  return leaseDurationSeconds > 0 ? leaseDurationSeconds * 1_000 : (rules.backstopMs ?? 75 * 60_000);
}
