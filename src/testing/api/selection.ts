import { StalewatchError } from "../../base/index.ts";
import { type FieldRequirement, parseFieldSelector, parseLabelSelector } from "../../resources/index.ts";
import { badRequest } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/** Which objects of a kind a list, watch or collection delete is about. */
export interface Selection {
  matches(object: StoredObject): boolean;
  /** A label or field selector narrows it (a namespace alone does not). */
  readonly selective: boolean;
}

/** Errors: 400 for a selector that cannot be read, or a field that the kind cannot be selected by. */
export function selectionOf(kind: Kind, namespace: string | undefined, query: URLSearchParams): Selection {
  const labels = query.get("labelSelector") ?? "";
  const fields = query.get("fieldSelector") ?? "";
  const tests: ((object: StoredObject) => boolean)[] = [];
  if (namespace !== undefined) tests.push(({ metadata }) => metadata.namespace === namespace);
  if (labels !== "") {
    const matches = readable(() => parseLabelSelector(labels));
    tests.push(({ metadata }) => matches(metadata.labels));
  }
  if (fields !== "") {
    for (const requirement of readable(() => parseFieldSelector(fields))) tests.push(fieldTest(kind, requirement));
  }
  return { selective: labels !== "" || fields !== "", matches: (object) => tests.every((test) => test(object)) };
}

function readable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof StalewatchError) throw badRequest(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function fieldTest(kind: Kind, { path, op, value }: FieldRequirement): (object: StoredObject) => boolean {
  const read = fieldReader(kind, path);
  return (object) => (read(object) === value) === (op === "=");
}

function fieldReader(kind: Kind, path: string): (object: StoredObject) => string {
  if (path === "metadata.name") return ({ metadata }) => metadata.name;
  if (path === "metadata.namespace") return ({ metadata }) => metadata.namespace ?? "";
  const { selectable } = kind.rules;
  const read = selectable?.[path];
  if (read) return read;
  if (selectable) throw badRequest(`field label not supported: ${path}`);
  throw badRequest(`"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}
