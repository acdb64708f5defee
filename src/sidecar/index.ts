// sidecar/: everything below it wired into one process.
// Promises: serves from the start, whatever the cluster does; stops in order. Only reads the cluster (sidecar.ts says what else).
// Does not read flags or files and never exits the process: that is cli/.
// Start with sidecar.ts.
export { type Diagnosis, type DoctorOptions, examine } from "./doctor.ts";
export { LagLook } from "./lag-look.ts";
export type { SidecarUrls } from "./listeners.ts";
export { lookOnce } from "./look-once.ts";
export { Sidecar } from "./sidecar.ts";
export type { ListenAddresses, SidecarOptions, WatchedKind } from "./sidecar-options.ts";
export { openTarget, targetCacheView, type TargetSpec } from "./targets.ts";
