import { iso } from "./time.ts";

/** An object as a server sends it. */
export interface Wire {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly spec?: object;
  readonly status?: object;
}

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly namespace?: string;
  readonly [field: string]: unknown;
}

/** What an object has beyond, or instead of, what its builder gives it. */
export interface Parts {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: object;
  readonly status?: object;
}

export const NAMESPACE = "shop";

/** Created so many seconds after the start. */
export function wire(apiVersion: string, kind: string, name: string, created: number, parts: Parts = {}): Wire {
  const { metadata, ...rest } = parts;
  const uid = `${kind.toLowerCase()}-${name}-${created}`;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: NAMESPACE, uid, creationTimestamp: iso(created), ...metadata },
    ...rest,
  };
}

/** The same object later. */
export function changed(object: Wire, { metadata, spec, status }: Parts): Wire {
  return {
    ...object,
    metadata: { ...object.metadata, ...metadata },
    ...(spec ? { spec: { ...object.spec, ...spec } } : {}),
    ...(status ? { status: { ...object.status, ...status } } : {}),
  };
}

export function ownerReferences({ apiVersion, kind, metadata: { name, uid } }: Wire): readonly object[] {
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

export function condition(
  type: string,
  since: number,
  more: { readonly status?: string; readonly reason?: string; readonly message?: string } = {},
): object {
  return { type, status: "True", lastTransitionTime: iso(since), ...more };
}

/** A Job that has one pod running unless `status` says otherwise. */
export function job(name: string, created: number, { metadata, spec, status }: Parts = {}): Wire {
  return wire("batch/v1", "Job", name, created, {
    metadata: metadata ?? {},
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false, ...spec },
    status: status ?? { startTime: iso(created), active: 1, ready: 0 },
  });
}

/** The status of a Job that has succeeded. */
export function complete(started: number, ended: number): object {
  const completionTime = iso(ended);
  return {
    startTime: iso(started),
    completionTime,
    active: 0,
    ready: 0,
    succeeded: 1,
    conditions: [condition("SuccessCriteriaMet", ended), condition("Complete", ended)],
  };
}

/** The status of a Job that has failed. */
export function failed(started: number, ended: number, reason: string, pods = 1): object {
  return {
    startTime: iso(started),
    active: 0,
    ready: 0,
    failed: pods,
    conditions: [condition("FailureTarget", ended, { reason }), condition("Failed", ended, { reason })],
  };
}

/** The pod of a Job; its node has it in the second in which it is created. `suffix` tells it from other pods of the Job. */
export function pod(of: Wire, created: number, { metadata, spec, status }: Parts, suffix = "k7w2p"): Wire {
  const { name, namespace } = of.metadata;
  return wire("v1", "Pod", `${name}-${suffix}`, created, {
    metadata: {
      namespace,
      labels: { "batch.kubernetes.io/job-name": name },
      ownerReferences: ownerReferences(of),
      ...metadata,
    },
    spec: {
      nodeName: "worker-1",
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 30,
      containers: [{ name: "main", image: "registry.example/main:v1" }],
      ...spec,
    },
    status: { startTime: iso(created), ...status },
  });
}

/** The status of a pod whose only container waits. */
export function waiting(reason: string, message: string): object {
  return {
    phase: "Pending",
    containerStatuses: [{ name: "main", ready: false, restartCount: 0, state: { waiting: { reason, message } } }],
  };
}

export function running(startedAt: number): object {
  return {
    phase: "Running",
    containerStatuses: [
      { name: "main", ready: true, restartCount: 0, state: { running: { startedAt: iso(startedAt) } } },
    ],
  };
}

export function ended(finishedAt: number, exitCode = 0): object {
  return {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [
      {
        name: "main",
        ready: false,
        restartCount: 0,
        state: {
          terminated: { exitCode, finishedAt: iso(finishedAt), reason: exitCode === 0 ? "Completed" : "Error" },
        },
      },
    ],
  };
}

export function cronJob(name: string, created: number, schedule: string, { spec, status, metadata }: Parts = {}): Wire {
  return wire("batch/v1", "CronJob", name, created, {
    metadata: metadata ?? {},
    spec: { schedule, concurrencyPolicy: "Forbid", suspend: false, ...spec },
    status: status ?? {},
  });
}

/** An entry of a CronJob's status.active. */
export function entry({ metadata: { name, namespace, uid } }: Wire): object {
  return { apiVersion: "batch/v1", kind: "Job", namespace, name, uid };
}

/** A Warning told from `first` to `last`. */
export function warning(
  about: Wire,
  reason: string,
  message: string,
  { first, last = first, count = 1 }: { readonly first: number; readonly last?: number; readonly count?: number },
): Wire {
  const { name, namespace, uid } = about.metadata;
  const involvedObject = { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid };
  const times = { firstTimestamp: iso(first), lastTimestamp: iso(last), count };
  const event = wire("v1", "Event", `${name}.${reason.toLowerCase()}`, first, { metadata: { namespace } });
  return Object.assign(event, { involvedObject, type: "Warning", reason, message }, times);
}

export function node(name: string, created: number, ready: object): Wire {
  return wire("v1", "Node", name, created, { metadata: { namespace: undefined }, status: { conditions: [ready] } });
}

export function lease(name: string, created: number, { metadata, spec }: Parts): Wire {
  return wire("coordination.k8s.io/v1", "Lease", name, created, { metadata: metadata ?? {}, spec: spec ?? {} });
}

/** As leases write times. */
export function micro(seconds: number): string {
  return iso(seconds).replace("Z", ".000000Z");
}
