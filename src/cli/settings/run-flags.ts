import type { WatchedKind } from "../../sidecar/index.ts";
import {
  duration,
  durationOrOff,
  type Flag,
  flag,
  from,
  list,
  number,
  oneOf,
  optional,
  text,
  yesOrNo,
} from "./flag.ts";
import { targetFlags } from "./target-flags.ts";
import { parseWatchedKind } from "./values.ts";

/** Which cluster, for every command that talks to one. */
export const clusterFlags: {
  readonly kubeconfig: Flag<string | undefined>;
  readonly context: Flag<string | undefined>;
  readonly namespace: Flag<readonly string[]>;
  readonly watch: Flag<readonly WatchedKind[]>;
  readonly config: Flag<string | undefined>;
} = {
  kubeconfig: optional(
    {
      value: "FILE",
      help: "kubeconfig file",
      otherwise: "KUBECONFIG, else the service account of the pod, else ~/.kube/config",
    },
    text,
  ),
  context: optional({ value: "NAME", help: "context of the kubeconfig", otherwise: "its current context" }, text),
  namespace: list({ value: "NAMESPACE", help: "watch Jobs and pods of this namespace only", otherwise: "all" }, text),
  watch: list(
    {
      value: "GROUP/VERSION/RESOURCE",
      help: "keep a cache of this kind too, of little more than its metadata, and publish its version",
    },
    from(parseWatchedKind),
  ),
  config: optional({ value: "FILE", help: "YAML file whose keys are these flags" }, text),
};

/** What is served, and where. `run` and `demo` take these. */
export const listenerFlags: {
  readonly "metrics-bind-address": Flag<string | undefined>;
  readonly "metrics-secure": Flag<boolean>;
  readonly "health-probe-bind-address": Flag<string>;
  readonly "status-bind-address": Flag<string>;
} = {
  "metrics-bind-address": optional(
    {
      value: "ADDRESS",
      help: "serve /metrics here; port 0 picks a free one, 0 alone switches it off",
      otherwise: ":8443 in a cluster, 127.0.0.1:8443 from a kubeconfig",
    },
    text,
  ),
  "metrics-secure": flag(
    { standard: "true", help: "false serves /metrics in plain HTTP to whoever can reach it" },
    yesOrNo,
  ),
  "health-probe-bind-address": flag(
    { value: "ADDRESS", standard: ":8081", help: "serve /healthz and /readyz here" },
    text,
  ),
  "status-bind-address": flag(
    { value: "ADDRESS", standard: "127.0.0.1:8080", help: "serve /api/v1 here; loopback only" },
    text,
  ),
};

/** How the process logs and traces. */
export const outputFlags: {
  readonly "log-level": Flag<"debug" | "info" | "warn" | "error">;
  readonly "log-format": Flag<"json" | "text" | undefined>;
  readonly "trace-noop": Flag<boolean>;
} = {
  "log-level": flag(
    { value: "LEVEL", standard: "info", help: "debug, info, warn or error" },
    oneOf("debug", "info", "warn", "error"),
  ),
  "log-format": optional(
    { value: "FORMAT", help: "json or text", otherwise: "text on a terminal, else json" },
    oneOf("json", "text"),
  ),
  "trace-noop": flag({ standard: "false", help: "also export the traces of passes that changed nothing" }, yesOrNo),
};

type EngineFlags = {
  readonly "sync-period": Flag<number>;
  readonly "probe-interval": Flag<number>;
  readonly "lag-budget": Flag<number>;
  readonly "strict-readiness": Flag<boolean>;
  readonly concurrency: Flag<number>;
  readonly "kube-api-qps": Flag<number>;
  readonly "kube-api-burst": Flag<number>;
  readonly "max-series": Flag<number>;
  readonly "feature-gates": Flag<readonly string[]>;
};

const engineFlags: EngineFlags = {
  "sync-period": flag(
    { value: "DURATION", standard: "10m", help: "look at every Job again this often, spread out" },
    duration,
  ),
  "probe-interval": flag(
    {
      value: "DURATION",
      standard: "15s",
      help: "read the version of each cached kind this often; 0 for never, and then no lag has an upper bound",
    },
    durationOrOff,
  ),
  "lag-budget": flag(
    { value: "DURATION", standard: "30s", help: "how late a cache may be and still count as fresh" },
    duration,
  ),
  "strict-readiness": flag(
    { standard: "false", help: "fail /readyz while a cache of this process is late for certain" },
    yesOrNo,
  ),
  concurrency: flag(
    { value: "N", standard: "2", help: "passes over Jobs at the same time" },
    number({ min: 1, max: 1_000, whole: true }),
  ),
  "kube-api-qps": flag(
    { value: "N", standard: "20", help: "calls to the API server a second, watches not counted" },
    number({ min: 0.1, max: 10_000 }),
  ),
  "kube-api-burst": flag(
    { value: "N", standard: "30", help: "calls to the API server at once" },
    number({ min: 1, max: 10_000, whole: true }),
  ),
  "max-series": flag(
    { value: "N", standard: "5000", help: "series with the name of an object, each metric" },
    number({ min: 0, max: 1_000_000, whole: true }),
  ),
  "feature-gates": list(
    { value: "NAME=BOOL", help: "features on or off, such as StaleControllerConsistencyJob=false" },
    text,
  ),
};

/** What is written to the cluster: the commands that need to know which rights that takes. */
export const writerFlags: {
  readonly "heartbeat-interval": Flag<number>;
  readonly "leader-elect": Flag<boolean>;
  readonly "leader-election-id": Flag<string>;
  readonly "leader-election-namespace": Flag<string | undefined>;
} = {
  "heartbeat-interval": flag(
    {
      value: "DURATION",
      standard: "0",
      help: "write to a Lease and a Job of its own this often, and time how the writes come back; 0 for never",
    },
    durationOrOff.refine((ms) => ms === 0 || ms >= 1_000, "must be 0 or at least 1s"),
  ),
  "leader-elect": flag(
    {
      standard: "false",
      help: "of several replicas only the holder of a Lease may write to the cluster; all of them measure and serve",
    },
    yesOrNo,
  ),
  "leader-election-id": flag({ value: "NAME", standard: "stalewatch", help: "name of that Lease" }, text),
  "leader-election-namespace": optional(
    { value: "NAMESPACE", help: "namespace of that Lease", otherwise: "the pod's, or the context's" },
    text,
  ),
};

/** What counts as stuck. */
export const judgeFlags: {
  readonly limits: Flag<string | undefined>;
  readonly parents: Flag<readonly string[]>;
} = {
  limits: optional(
    { value: "FILE", help: "other ages from which a kind counts as stuck", otherwise: "those of docs/stuck-jobs.md" },
    text,
  ),
  parents: list(
    {
      value: "captf|generic|FILE",
      help: "judge the objects that own Jobs too: those of the Cluster API provider for Terraform, of every kind of custom resource that is found to own a Job, or of the kinds in a file",
    },
    text,
  ),
};

type ElectionFlags = {
  readonly "leader-elect-lease-duration": Flag<number>;
  readonly "leader-elect-renew-deadline": Flag<number>;
  readonly "leader-elect-retry-period": Flag<number>;
};

const electionFlags: ElectionFlags = {
  "leader-elect-lease-duration": flag(
    { value: "DURATION", standard: "15s", help: "take the Lease over when its holder has been silent for this long" },
    duration,
  ),
  "leader-elect-renew-deadline": flag(
    { value: "DURATION", standard: "10s", help: "exit when the Lease could not be renewed for this long" },
    duration,
  ),
  "leader-elect-retry-period": flag(
    { value: "DURATION", standard: "2s", help: "time between two tries to take or renew the Lease" },
    duration,
  ),
};

/** Every flag of `run`, in the order of the help. The configuration file has the same names. */
export const runFlags: typeof clusterFlags &
  EngineFlags &
  typeof judgeFlags &
  typeof targetFlags &
  typeof writerFlags &
  ElectionFlags &
  typeof listenerFlags &
  typeof outputFlags = {
  ...clusterFlags,
  ...engineFlags,
  ...judgeFlags,
  ...targetFlags,
  ...writerFlags,
  ...electionFlags,
  ...listenerFlags,
  ...outputFlags,
};
