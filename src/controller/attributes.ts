import type { ObjectRef, Resource } from "../resources/index.ts";
import { resourceName } from "../resources/index.ts";
import type { Attributes } from "../telemetry/index.ts";

/** Kinds that have attributes of their own: https://opentelemetry.io/docs/specs/semconv/resource/k8s/ */
const CONVENTIONAL: ReadonlySet<string> = new Set([
  "pods.v1",
  "nodes.v1",
  "replicationcontrollers.v1",
  "jobs.v1.batch",
  "cronjobs.v1.batch",
  "deployments.v1.apps",
  "replicasets.v1.apps",
  "statefulsets.v1.apps",
  "daemonsets.v1.apps",
]);

/** What a span says about an object: the standard `k8s.*` names where its kind has them, else `stalewatch.object.*`. */
export function objectAttributes(resource: Resource, ref: Partial<ObjectRef> & { uid?: string }): Attributes {
  const { name, uid, namespace } = ref;
  const shared = { "k8s.namespace.name": namespace, "stalewatch.resource": resourceName(resource) };
  if (!CONVENTIONAL.has(resourceName(resource))) {
    return { ...shared, "stalewatch.object.name": name, "stalewatch.object.uid": uid };
  }
  const kind = resource.kind.toLowerCase();
  return { ...shared, [`k8s.${kind}.name`]: name, [`k8s.${kind}.uid`]: uid };
}
