import { shortName } from "../base/index.ts";
import { HEARTBEAT_MARK, type Job, type KubeObject, type Lease, type Resource, resources } from "../resources/index.ts";

/** What one beat says. */
export interface Beat {
  readonly holder: string;
  /** Distinct for each beat. */
  readonly mark: string;
  /** Wall time, milliseconds. */
  readonly at: number;
  /** A holder that has not beaten for this long may be taken for dead. */
  readonly silentAfterMs: number;
}

/** A kind of which a harmless object can be kept. */
export interface HeartbeatKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  /** What is never changed after the object was made. */
  readonly fixedSpec: object;
  /** What each beat writes into the spec, beside its annotations. */
  beatSpec(beat: Beat): object | undefined;
  /** Why the object can no longer be called harmless, as something in the cluster has changed it. */
  harm(object: T): string | undefined;
}

const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";
/** A name that can never be resolved (RFC 2606): even if somebody started the Job, nothing would be pulled. */
const NEVER_PULLED = "heartbeat.invalid/never-started";

/** Without pods, suspended, and managed by nobody whom the Job controller knows: three reasons, each enough, never to start. */
const neverStarted = {
  parallelism: 0,
  completions: 1,
  suspend: true,
  managedBy: HEARTBEAT_MARK,
  template: {
    metadata: { labels: { [HEARTBEAT_MARK]: "true" } },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      // As the "restricted" level and usual policies want it, which look at templates too.
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "never-started",
          image: NEVER_PULLED,
          resources: { requests: { cpu: "1m", memory: "1Mi" }, limits: { cpu: "1m", memory: "1Mi" } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    },
  },
};

export const jobHeartbeat: HeartbeatKind<Job> = {
  resource: resources.jobs,
  fixedSpec: neverStarted,
  beatSpec: () => undefined,
  harm({ metadata, spec }) {
    const queue = metadata.labels?.[QUEUE_LABEL];
    if (queue !== undefined) return `something put it into the Kueue queue "${shortName(queue)}", which would admit it`;
    if (spec.suspend !== true) return "something set spec.suspend to false";
    if (spec.parallelism !== 0) return `something set spec.parallelism to ${spec.parallelism ?? 1}`;
    if (spec.managedBy === HEARTBEAT_MARK) return undefined;
    return spec.managedBy === undefined
      ? "the API server did not keep spec.managedBy (Kubernetes 1.32 and later do)"
      : `something set spec.managedBy to "${shortName(spec.managedBy)}"`;
  },
};

export const leaseHeartbeat: HeartbeatKind<Lease> = {
  resource: resources.leases,
  fixedSpec: {},
  beatSpec: ({ holder, at, silentAfterMs }) => ({
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(silentAfterMs / 1_000),
    renewTime: new Date(at).toISOString().replace("Z", "000Z"),
  }),
  harm: () => undefined,
};
