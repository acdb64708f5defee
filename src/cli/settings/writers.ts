import type { SidecarOptions } from "../../sidecar/index.ts";
import type { Values } from "./flag.ts";
import type { writerFlags } from "./run-flags.ts";

type WriterValues = Values<typeof writerFlags>;

/** The lease to stand for, undefined without an election. `namespace` is the pod's, or the context's. */
export function leaseOf(
  settings: WriterValues,
  namespace: string,
): NonNullable<SidecarOptions["leaderElection"]>["lease"] | undefined {
  if (!settings["leader-elect"]) return undefined;
  return { namespace: settings["leader-election-namespace"] ?? namespace, name: settings["leader-election-id"] };
}

/** Undefined where it is switched off. */
export function heartbeatOf(settings: WriterValues, namespace: string): SidecarOptions["heartbeat"] {
  const intervalMs = settings["heartbeat-interval"];
  return intervalMs > 0 ? { namespace, intervalMs } : undefined;
}
