/** The `name` label of the sidecar's caches: one for each of several namespaces, since each has caches of the same kinds. */
export function cacheName(namespaces: readonly string[], namespace: string | undefined): string {
  return namespaces.length > 1 && namespace !== undefined ? `stalewatch-${namespace}` : "stalewatch";
}
