// test/real/harness: real components for the suites beside it: a control plane on loopback, a kubelet that the test plays,
// a proxy that holds watches back, Jaeger, Prometheus. Shares no code with src/, so that it can bear witness.
// Start with describeReal in tools.ts, then real-cluster.ts.
export { Authority } from "./authority.ts";
export { ClusterAccess, type ClusterAddress, type Rule } from "./cluster-access.ts";
export { Daemon, eventually, freePort, pause } from "./daemon.ts";
export { DelayingProxy, type DelayingProxyOptions } from "./delaying-proxy.ts";
export { Jaeger, type JaegerSpan } from "./jaeger.ts";
export { Kubelet, type KubeletOptions, type PodStep } from "./kubelet.ts";
export { lintMetrics, Prometheus, type PrometheusOptions, type Sample } from "./prometheus.ts";
export { type Answer, type Credentials, type Json, RawClient } from "./raw-client.ts";
export { RealCluster, type RealClusterOptions } from "./real-cluster.ts";
export { type Page, sampleOf, Sidecar, type SidecarOptions } from "./sidecar.ts";
export { sharedCluster } from "./shared-cluster.ts";
export { clusterTools, describeReal, findTool, requireTool, type Tool } from "./tools.ts";
