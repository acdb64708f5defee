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

const preconditionsShape = shapeOf(
  ["uid", 1, "string", { pointer: true }],
  ["resourceVersion", 2, "string", { pointer: true }],
);

export const deleteOptionsShape: Shape<unknown> = shapeOf(
  ["gracePeriodSeconds", 1, "int", { pointer: true }],
  ["preconditions", 2, "message", { pointer: true, shape: preconditionsShape }],
  ["orphanDependents", 3, "bool", { pointer: true }],
  ["propagationPolicy", 4, "string", { pointer: true }],
  ["dryRun", 5, "string", { repeated: true }],
);

const resourceAttributesShape = shapeOf(
  ["namespace", 1, "string"],
  ["verb", 2, "string"],
  ["group", 3, "string"],
  ["version", 4, "string"],
  ["resource", 5, "string"],
  ["subresource", 6, "string"],
  ["name", 7, "string"],
);
const nonResourceAttributesShape = shapeOf(["path", 1, "string"], ["verb", 2, "string"]);
const accessSpecShape = shapeOf(
  ["resourceAttributes", 1, "message", { pointer: true, shape: resourceAttributesShape }],
  ["nonResourceAttributes", 2, "message", { pointer: true, shape: nonResourceAttributesShape }],
  ["user", 3, "string"],
  ["groups", 4, "string", { repeated: true }],
);
const tokenSpecShape = shapeOf(["token", 1, "string"], ["audiences", 2, "string", { repeated: true }]);

function reviewShape(spec: Shape<unknown>): Shape<unknown> {
  return shapeOf(
    ["metadata", 1, "message", { pointer: true, shape: objectMetaShape }],
    ["spec", 2, "message", { pointer: true, shape: spec }],
    // Empty in a question.
    ["status", 3, "message", { pointer: true, shape: shapeOf(["allowed", 1, "bool"], ["reason", 2, "string"]) }],
  );
}

/** Questions (k8s.io/api authentication/v1 and authorization/v1). */
export const reviewShapes: Readonly<Record<string, Shape<unknown>>> = {
  TokenReview: reviewShape(tokenSpecShape),
  SelfSubjectAccessReview: reviewShape(accessSpecShape),
  SubjectAccessReview: reviewShape(accessSpecShape),
};
