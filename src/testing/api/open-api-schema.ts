import { type Field, type KubeObject, message, objectMetaShape, shape, type Shape } from "../../resources/index.ts";
import type { Kind } from "../storage/kind.ts";

/** As much of a kind's schema as this server knows by name; whatever else an object has is stored as it comes. */
export function schemaOf({ group, version, kind, shape: known }: Kind): object {
  const { properties } = objectSchema(known ?? metadataOnly);
  return {
    type: "object",
    description: `${kind}, as far as the embedded server knows its fields; it stores others too.`,
    properties: {
      apiVersion: { type: "string", description: "Group and version of this form of the object." },
      kind: { type: "string", description: "The name of this form of the object." },
      ...properties,
    },
    "x-kubernetes-preserve-unknown-fields": true,
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}

const metadataOnly: Shape<KubeObject> = shape<KubeObject>({ metadata: message(1, objectMetaShape) });

const SCALARS: Readonly<Record<Exclude<Field["type"], "message">, object>> = {
  string: { type: "string" },
  int: { type: "integer" },
  bool: { type: "boolean" },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
  map: { type: "object", additionalProperties: { type: "string" } },
};

function objectSchema(known: Shape<unknown>): { type: "object"; properties: Record<string, object> } {
  const properties = known.fields.map((field): [string, object] => [field.name, fieldSchema(field)]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

function fieldSchema({ type, repeated, shape: nested = { fields: [] } }: Field): object {
  const items = type === "message" ? objectSchema(nested) : SCALARS[type];
  return repeated ? { type: "array", items } : items;
}
