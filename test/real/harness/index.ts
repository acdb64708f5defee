// test/real/harness: real components for the suites beside it: a control plane on loopback, a kubelet that the test plays,
// a proxy that holds watches back, Jaeger, Prometheus. Shares no code with src/, so that it can bear witness.
// Start with describeReal in tools.ts, then real-cluster.ts.
export { Authority } from "./authority.ts";
export { ClusterAccess, type Rule } from "./cluster-access.ts";
export { Cable } from "./cable.ts";
export { ControllerManager } from "./controller-manager.ts";
export { Daemon, eventually, freePort, pause } from "./daemon.ts";
export { DelayingProxy } from "./delaying-proxy.ts";
export { Jaeger, type JaegerSpan } from "./jaeger.ts";
export { Kubelet, type PodStep } from "./kubelet.ts";
export { lintMetrics, Prometheus } from "./prometheus.ts";
export { type Json, RawClient } from "./raw-client.ts";
export { RealCluster } from "./real-cluster.ts";
export { sampleOf, Sidecar } from "./sidecar.ts";
export { sharedCluster } from "./shared-cluster.ts";
export { clusterTools, describeReal, requireTool } from "./tools.ts";
