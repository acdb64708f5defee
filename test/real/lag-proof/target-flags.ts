import type { ClusterAccess, ControllerManager } from "../harness/index.ts";

/** The name of the target in what the sidecar says. */
export const TARGET = "kcm";

/** How a sidecar is told of the controller-manager. */
export function targetFlags({ authority, admin }: ClusterAccess, manager: ControllerManager): string[] {
  return [
    `--target=${TARGET}=${manager.url}`,
    `--target-ca-file=${authority.ca.certFile}`,
    `--target-cert-file=${admin.certFile}`,
    `--target-key-file=${admin.keyFile}`,
  ];
}
