import type { DeepReadonly, KubeObject } from "./meta.ts";

/** On the objects that a sidecar writes only to see its own writes arrive; also who such a Job is managed by. */
export const HEARTBEAT_MARK = "stalewatch.dev/heartbeat";

/** True for an object that exists to be measured with: nobody waits for it, and no verdict or count is about it. */
export function isHeartbeat({ metadata }: DeepReadonly<KubeObject>): boolean {
  return metadata.labels?.[HEARTBEAT_MARK] === "true";
}
