import type { DeepReadonly, KubeObject, RunLeaseRules } from "../resources/index.ts";

/** How a controller marks its objects and Jobs, for its `LagGuard`. Jobs and leases are in the object's namespace. */
export interface LagConventions<T extends KubeObject> {
  /** The Job that the object's status says is running: `status.activeJob.name`. */
  activeJob(object: DeepReadonly<T>): string | undefined;
  /**
   * Whether the object carries another mark that stands for a running Job, such as an annotation that keeps others from moving it.
   * It is written before a Job exists, so it may stand for one that no cache shows.
   */
  isMarked(object: DeepReadonly<T>): boolean;
  /**
   * The name of the Lease that is taken, with the Job's name as its holder, before a Job is created. Without leases, a Job that
   * status does not name yet goes unnoticed.
   */
  runLease?(object: DeepReadonly<T>): string;
  /** The labels that all Jobs of this object have, and none of another object; at least one. */
  ownerLabels(object: DeepReadonly<T>): Readonly<Record<string, string>>;
  readonly leaseRules?: RunLeaseRules;
}
