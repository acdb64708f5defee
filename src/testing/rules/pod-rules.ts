import type { FieldCause, KindRules } from "../storage/kind.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { defaults, type Fields, fieldsOf, itemsOf, mapAt, numberOf, required, textOf } from "./fields.ts";

const DEFAULT_GRACE_SECONDS = 30;

/** What the API server fills into a pod's spec, in a pod or in a template. */
export function defaultPodSpec(spec: Fields): void {
  for (const container of [...itemsOf(spec["containers"]), ...itemsOf(spec["initContainers"])]) {
    defaults(container, {
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: pullPolicy(textOf(container["image"])),
    });
  }
  defaults(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: DEFAULT_GRACE_SECONDS,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
}

function pullPolicy(image: string): string {
  const tag = /:([^:/@]+)$/.exec(image)?.[1] ?? "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

export function validatePodSpec(spec: Fields, path: string): FieldCause[] {
  return itemsOf(spec["containers"]).length === 0 ? [required(`${path}.containers`)] : [];
}

/** A pod that runs nowhere, or no longer, needs no grace (pkg/registry/core/pod/strategy.go). */
function graceSeconds(pod: StoredObject, asked: number | undefined): number {
  const spec = fieldsOf(pod["spec"]);
  const phase = textOf(fieldsOf(pod["status"])["phase"]);
  if (textOf(spec["nodeName"]) === "" || phase === "Succeeded" || phase === "Failed") return 0;
  return asked ?? numberOf(spec["terminationGracePeriodSeconds"], DEFAULT_GRACE_SECONDS);
}

const specField =
  (name: string) =>
  (pod: StoredObject): string =>
    textOf(fieldsOf(pod["spec"])[name]);
const statusField =
  (name: string) =>
  (pod: StoredObject): string =>
    textOf(fieldsOf(pod["status"])[name]);

function readyCount(pod: StoredObject): string {
  const statuses = itemsOf(fieldsOf(pod["status"])["containerStatuses"]);
  const ready = statuses.filter((status) => status["ready"] === true).length;
  return `${ready}/${itemsOf(fieldsOf(pod["spec"])["containers"]).length}`;
}

/** The word that `kubectl get pods` shows: why a container waits or ended, else the phase. */
function statusWord(pod: StoredObject): string {
  if (pod.metadata.deletionTimestamp) return "Terminating";
  for (const status of itemsOf(fieldsOf(pod["status"])["containerStatuses"])) {
    const state = fieldsOf(status["state"]);
    const reason = textOf(fieldsOf(state["waiting"])["reason"]) || textOf(fieldsOf(state["terminated"])["reason"]);
    if (reason) return reason;
  }
  return statusField("reason")(pod) || statusField("phase")(pod);
}

function restarts(pod: StoredObject): number {
  const statuses = itemsOf(fieldsOf(pod["status"])["containerStatuses"]);
  return statuses.reduce((sum, status) => sum + numberOf(status["restartCount"], 0), 0);
}

export const podRules: KindRules = {
  prepareCreate(pod) {
    const spec = mapAt(pod, "spec");
    defaultPodSpec(spec);
    defaults(spec, { enableServiceLinks: true, preemptionPolicy: "PreemptLowerPriority", priority: 0 });
    defaults(mapAt(pod, "status"), { phase: "Pending", qosClass: "BestEffort" });
  },
  validate: (pod) => validatePodSpec(fieldsOf(pod["spec"]), "spec"),
  selectable: {
    "spec.nodeName": specField("nodeName"),
    "spec.restartPolicy": specField("restartPolicy"),
    "spec.schedulerName": specField("schedulerName"),
    "spec.serviceAccountName": specField("serviceAccountName"),
    "status.phase": statusField("phase"),
    "status.podIP": statusField("podIP"),
    "status.nominatedNodeName": statusField("nominatedNodeName"),
  },
  graceSeconds,
  returnsDeleted: true,
  columns: [
    { name: "Ready", cell: readyCount },
    { name: "Status", cell: statusWord },
    { name: "Restarts", cell: restarts },
  ],
};
