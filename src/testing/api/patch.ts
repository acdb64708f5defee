import { apply as mergePatch } from "json-merge-patch";
import { applyPatch, type Operation, Pointer } from "rfc6902";
import { badRequest, StatusError, unsupportedMediaType } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import { strategicMerge } from "./strategic-merge.ts";

type Fields = Record<string, unknown>;

const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";

/**
 * Applies the three patch types to an object that the caller owns. Server-side apply is refused: half of it would be worse than
 * none. Errors: 415 for other types, 400 for what cannot be read, 422 for operations that do not fit.
 */
export function applyPatchBody(kind: Kind, contentType: string, body: unknown, target: Fields): Fields {
  switch (contentType) {
    case MERGE:
      return asObject(mergePatch(target, asObject(body)));
    case JSON_PATCH:
      return applyOperations(target, body);
    case STRATEGIC:
      if (!kind.custom) return strategicMerge(target, asObject(body));
      throw unsupportedMediaType(offered([JSON_PATCH, MERGE]));
    default:
      throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
}

function offered(types: readonly string[]): string {
  return `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`;
}

function applyOperations(target: Fields, body: unknown): Fields {
  if (!Array.isArray(body) || !body.every(isOperation)) {
    throw badRequest("error decoding patch: json: cannot unmarshal the patch into a list of operations");
  }
  for (const operation of body) {
    if (!succeeds(target, operation)) {
      throw new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {});
    }
  }
  return target;
}

function isOperation(value: unknown): value is Operation {
  const { op, path, from = "" } = Object(value) as Record<string, unknown>;
  return typeof op === "string" && typeof path === "string" && typeof from === "string";
}

function succeeds(target: Fields, operation: Operation): boolean {
  try {
    return applyPatch(target, [lenient(target, operation)]).every((error) => error === null);
  } catch {
    return false; // Not a JSON pointer.
  }
}

/** The real server lets a member of a map be replaced that is not there. */
function lenient(target: Fields, operation: Operation): Operation {
  if (operation.op !== "replace") return operation;
  const { parent, value } = Pointer.fromJSON(operation.path).evaluate(target);
  const isMap = typeof parent === "object" && parent !== null && !Array.isArray(parent);
  return isMap && value === undefined ? { ...operation, op: "add" } : operation;
}

function asObject(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw badRequest("json: cannot unmarshal the patch into an object");
}
