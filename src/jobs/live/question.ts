import type { Scope } from "../../kube/index.ts";
import { type DeepReadonly, type Event, type KubeObject, type Resource, resourceName } from "../../resources/index.ts";

/** What a judge wants to know that no cache holds: the objects of a kind with this name or label, or the events about an object. */
export interface Question {
  readonly resource: Resource;
  /** Undefined for a kind without namespaces. */
  readonly namespace: string | undefined;
  /** By name, by the uid of what an event is about, or by the label that `label` names. */
  readonly by: "name" | "about" | "label";
  readonly label?: string;
  readonly value: string;
}

/** Equal for equal questions. */
export function questionKey(question: Question): string {
  return `${familyKey(question)} ${question.value}`;
}

/** Questions of one family differ in the value alone: one list of everything answers them all. */
export function familyKey({ resource, namespace = "", by, label = "" }: Question): string {
  return `${resourceName(resource)} ${namespace} ${by} ${label}`;
}

/** What to list for one question. */
export function scopeOfOne({ namespace, by, label, value }: Question): Scope {
  const where = namespace === undefined ? {} : { namespace };
  if (by === "label") return { ...where, labelSelector: `${label}=${value}` };
  const field = by === "name" ? "metadata.name" : "involvedObject.uid";
  return { ...where, fieldSelector: `${field}=${value.replace(/[\\,=]/g, String.raw`\$&`)}` };
}

/** What to list for all questions of the family. */
export function scopeOfFamily({ namespace, label }: Question): Scope {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(label === undefined ? {} : { labelSelector: label }),
  };
}

/** What an object answers among the questions of the family: those of this value. */
export function valueIn({ by, label = "" }: Question, object: DeepReadonly<KubeObject>): string | undefined {
  const { metadata } = object;
  if (by === "name") return metadata.name;
  if (by === "label") return metadata.labels?.[label];
  return (object as DeepReadonly<Event>).involvedObject?.uid;
}
