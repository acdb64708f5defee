import { type KubeObject, resources } from "../../resources/index.ts";
import type { EmbeddedCluster } from "../embedded-cluster.ts";
import { timestamp } from "../storage/timestamp.ts";

interface EventText {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Writes an Event as client-go's recorder does: a repetition raises the count of the first one. */
export function recordEvent(
  cluster: EmbeddedCluster,
  component: string,
  kind: "Job" | "Pod",
  about: KubeObject,
  { type, reason, message }: EventText,
): void {
  const { name, namespace = "default", uid, resourceVersion } = about.metadata;
  const now = timestamp(cluster.clock.now());
  const [repeated] = cluster.objects.where(resources.events, (event) => {
    return event.involvedObject?.uid === uid && event.reason === reason && event.message === message;
  });
  if (repeated) {
    const count = (repeated.count ?? 1) + 1;
    cluster.objects.patch(resources.events, repeated.metadata, { count, lastTimestamp: now });
    return;
  }
  const apiVersion = kind === "Job" ? "batch/v1" : "v1";
  cluster.objects.create(resources.events, {
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { kind, namespace, name, uid, apiVersion, resourceVersion },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  });
}
