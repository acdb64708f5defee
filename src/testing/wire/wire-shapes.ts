import { type Field, objectMetaShape, type Shape } from "../../resources/index.ts";

type Row = readonly [name: string, number: number, type: Field["type"], more?: Partial<Field>];

function shapeOf(...rows: readonly Row[]): Shape<unknown> {
  return {
    fields: rows.map(([name, number, type, more]) => ({
      name,
      number,
      type,
      repeated: false,
      pointer: false,
      ...more,
    })),
  };
}

/** PartialObjectMetadata: an object of which only the metadata is shown. */
export const metadataOnlyShape: Shape<unknown> = shapeOf([
  "metadata",
  1,
  "message",
  { pointer: true, shape: objectMetaShape },
]);

/** Field numbers of this file: k8s.io/apimachinery meta/v1 generated.proto. */
export const listMetaShape: Shape<unknown> = shapeOf(
  ["selfLink", 1, "string"],
  ["resourceVersion", 2, "string"],
  ["continue", 3, "string"],
  ["remainingItemCount", 4, "int", { pointer: true }],
);

const statusCauseShape = shapeOf(["reason", 1, "string"], ["message", 2, "string"], ["field", 3, "string"]);

const statusDetailsShape = shapeOf(
  ["name", 1, "string"],
  ["group", 2, "string"],
  ["kind", 3, "string"],
  ["causes", 4, "message", { repeated: true, shape: statusCauseShape }],
  ["retryAfterSeconds", 5, "int"],
  ["uid", 6, "string"],
);

export const statusShape: Shape<unknown> = shapeOf(
  ["metadata", 1, "message", { pointer: true, shape: listMetaShape }],
  ["status", 2, "string"],
  ["message", 3, "string"],
  ["reason", 4, "string"],
  ["details", 5, "message", { pointer: true, shape: statusDetailsShape }],
  ["code", 6, "int"],
);
