import {
  type Condition,
  defineResource,
  fields,
  type KubeObject,
  type ObjectMeta,
  type Resource,
  shape,
  type Shape,
  type Time,
} from "../resources/index.ts";

/** What is kept of a Node: whether its kubelet answers. */
export interface Node extends KubeObject {
  status: { conditions?: Condition[] };
}

/** What is kept of a Kueue Workload: the request of one Job for quota. */
export interface Workload {
  metadata: ObjectMeta;
  spec: WorkloadSpec;
  status: WorkloadStatus;
}

interface WorkloadSpec {
  /** The LocalQueue. */
  queueName?: string;
}

interface WorkloadStatus {
  /** QuotaReserved, Admitted, Evicted, Finished. */
  conditions?: Condition[];
  admission?: { clusterQueue?: string };
  admissionChecks?: AdmissionCheckState[];
}

interface AdmissionCheckState {
  name: string;
  /** Pending, Ready, Retry, Rejected. */
  state?: string;
  message?: string;
  lastTransitionTime?: Time;
}

const conditionShape: Shape<Condition> = shape<Condition>({
  type: fields.string(),
  status: fields.string(),
  lastTransitionTime: fields.string(),
  reason: fields.string(),
  message: fields.string(),
});

/** Kinds that are read only as evidence about a suspect, never cached whole. */
export const evidenceKinds: {
  readonly namespaces: Resource;
  readonly nodes: Resource<Node>;
  readonly workloads: Resource<Workload>;
} = {
  // Only whether it is being deleted.
  namespaces: defineResource({
    group: "",
    version: "v1",
    kind: "Namespace",
    resource: "namespaces",
    namespaced: false,
    shape: shape<KubeObject>({ metadata: fields.metadata() }),
  }),
  nodes: defineResource({
    group: "",
    version: "v1",
    kind: "Node",
    resource: "nodes",
    namespaced: false,
    shape: shape<Node>({
      metadata: fields.metadata(),
      status: fields.required(shape<Node["status"]>({ conditions: fields.list(conditionShape) })),
    }),
  }),
  workloads: defineResource({
    group: "kueue.x-k8s.io",
    version: "v1beta1",
    kind: "Workload",
    resource: "workloads",
    shape: shape<Workload>({
      metadata: fields.metadata(),
      spec: fields.required(shape<WorkloadSpec>({ queueName: fields.string() })),
      status: fields.required(
        shape<WorkloadStatus>({
          conditions: fields.list(conditionShape),
          admission: fields.optional(shape<{ clusterQueue?: string }>({ clusterQueue: fields.string() })),
          admissionChecks: fields.list(
            shape<AdmissionCheckState>({
              name: fields.string(),
              state: fields.string(),
              message: fields.string(),
              lastTransitionTime: fields.string(),
            }),
          ),
        }),
      ),
    }),
  }),
};
