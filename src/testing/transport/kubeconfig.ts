import { stringify } from "yaml";

/** A kubeconfig with one context, without credentials. */
export function kubeconfigFor(server: string): string {
  const name = "embedded";
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
    "current-context": name,
  });
}
