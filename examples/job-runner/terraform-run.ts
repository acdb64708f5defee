import { createHash } from "node:crypto";
import {
  type Condition,
  type DeepReadonly,
  defineResource,
  type ObjectMeta,
  type ObjectRef,
  type Resource,
} from "stalewatch";

/** What a Job is for. */
export type Op = "apply" | "destroy" | "drift" | "refresh";

/** Keeps some infrastructure as its spec says, by Jobs that run Terraform. Its schema, with what each field means: crd.yaml. */
export interface TerraformRun {
  metadata: ObjectMeta;
  spec: {
    image: string;
    variables?: Record<string, string>;
    cluster?: string;
    approval?: "Automatic" | "Manual";
    paused?: boolean;
    drift?: { intervalSeconds?: number };
    health?: { intervalSeconds?: number };
  };
  status?: {
    activeJob?: JobNote;
    history?: PastJob[];
    succeeded?: Partial<Record<Op, string>>;
    appliedInputs?: string;
    conditions?: Condition[];
  };
}

export interface JobNote {
  name: string;
  /** Counts the Jobs of a run, those included that were given up before they were created. */
  number: number;
  op: Op;
  /** What it reads: `inputsOf`. */
  inputs: string;
}

export interface PastJob extends JobNote {
  outcome: "succeeded" | "failed" | "interrupted";
  /** RFC 3339. */
  finishedAt: string;
}

/** A run as the cache has it: for reading only. */
export type Run = DeepReadonly<TerraformRun>;

export const terraformRuns: Resource<TerraformRun> = defineResource<TerraformRun>({
  group: "example.com",
  version: "v1",
  kind: "TerraformRun",
  resource: "terraformruns",
});

export const secrets: Resource = defineResource({ group: "", version: "v1", kind: "Secret", resource: "secrets" });

export const FINALIZER = "example.com/terraform-run";
/** Keeps `clusterctl move` from taking a run away while a Job of it runs; written before the Job exists. */
export const BLOCK_MOVE = "clusterctl.cluster.x-k8s.io/block-move";
/** Set by people to the inputs that may be applied. */
export const APPROVED = "example.com/approved";
/** On Jobs. */
export const INPUTS = "example.com/inputs";

/** A label of all that the controller makes, so that its cache holds nothing else. */
export const MANAGED = "example.com/managed";
export const RUN = "example.com/terraform-run";
export const CLUSTER = "example.com/cluster";
export const OP = "example.com/op";
export const NUMBER = "example.com/number";

/** What a Job reads of the spec, as a short text: another text means that there is something to apply. */
export function inputsOf({ spec }: Run): string {
  const { image, variables = {}, cluster } = spec;
  const inputs = [image, cluster, Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1))];
  return createHash("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 12);
}

/** The lease that the Job of a run holds. */
export function runLeaseOf({ metadata }: Run): ObjectRef {
  return { namespace: metadata.namespace ?? "", name: `terraform-run-${metadata.name}` };
}

/** The lease that the runs of one cluster share, so that they change it one at a time; undefined for a run of no cluster. */
export function clusterLeaseOf({ metadata, spec }: Run): ObjectRef | undefined {
  return spec.cluster ? { namespace: metadata.namespace ?? "", name: `terraform-cluster-${spec.cluster}` } : undefined;
}

/** The Secret that has Terraform's state (its "kubernetes" backend, with the run's name as `secret_suffix`). */
export function stateOf({ metadata }: Run): ObjectRef {
  return { namespace: metadata.namespace ?? "", name: `tfstate-default-${metadata.name}` };
}
