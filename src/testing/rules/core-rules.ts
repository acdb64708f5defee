import type { KindRules } from "../storage/kind.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { defaults, fieldsOf, mapAt, textOf } from "./fields.ts";

const path =
  (...steps: string[]) =>
  (object: StoredObject): string => {
    let at: unknown = object;
    for (const step of steps) at = fieldsOf(at)[step];
    return typeof at === "boolean" ? String(at) : textOf(at);
  };

const involved = (field: string): ((event: StoredObject) => string) => path("involvedObject", field);

export const eventRules: KindRules = {
  selectable: {
    "involvedObject.kind": involved("kind"),
    "involvedObject.namespace": involved("namespace"),
    "involvedObject.name": involved("name"),
    "involvedObject.uid": involved("uid"),
    "involvedObject.apiVersion": involved("apiVersion"),
    "involvedObject.resourceVersion": involved("resourceVersion"),
    "involvedObject.fieldPath": involved("fieldPath"),
    reason: path("reason"),
    type: path("type"),
    source: path("source", "component"),
    reportingComponent: path("reportingComponent"),
  },
  columns: [
    { name: "Type", cell: path("type") },
    { name: "Reason", cell: path("reason") },
    { name: "Object", cell: (event) => `${involved("kind")(event).toLowerCase()}/${involved("name")(event)}` },
    { name: "Message", cell: path("message") },
  ],
};

export const namespaceRules: KindRules = {
  prepareCreate(namespace) {
    const metadata = mapAt(namespace, "metadata");
    mapAt(metadata, "labels")["kubernetes.io/metadata.name"] = metadata["name"];
    namespace["spec"] = { finalizers: ["kubernetes"] };
    defaults(mapAt(namespace, "status"), { phase: "Active" });
  },
  terminating: (namespace) => ({ ...namespace, status: { ...fieldsOf(namespace["status"]), phase: "Terminating" } }),
  selectable: { "status.phase": path("status", "phase"), name: path("metadata", "name") },
  returnsDeleted: true,
  columns: [{ name: "Status", cell: path("status", "phase") }],
};

export const nodeRules: KindRules = { selectable: { "spec.unschedulable": path("spec", "unschedulable") } };

export const secretRules: KindRules = {
  prepareCreate: (secret) => defaults(secret, { type: "Opaque" }),
  selectable: { type: path("type") },
  columns: [{ name: "Type", cell: path("type") }],
};
