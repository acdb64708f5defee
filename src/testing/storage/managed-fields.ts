import { isDeepStrictEqual } from "node:util";
import type { Kind } from "./kind.ts";
import type { StoredObject } from "./stored-object.ts";

export interface ManagerOfWrite {
  readonly manager: string;
  readonly time: string;
  readonly subresource: string | undefined;
}

interface ManagedFieldsEntry {
  manager: string;
  operation: "Update";
  apiVersion: string;
  time: string;
  fieldsType: "FieldsV1";
  fieldsV1: FieldTree;
  subresource?: string;
}

type FieldTree = { [path: string]: FieldTree };

/** Fields of metadata that nobody owns. */
const UNOWNED = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
]);

/**
 * Notes in managedFields which manager wrote which fields. Coarser than the real server: lists are owned as a whole, and a manager
 * does not lose a field that another one overwrites.
 */
export function recordManager(
  kind: Kind,
  next: StoredObject,
  previous: StoredObject | undefined,
  write: ManagerOfWrite,
): void {
  const written = changedFields(next, previous ?? {}, 0);
  if (!written) return;
  const entries = ((next.metadata.managedFields ?? []) as ManagedFieldsEntry[]).slice();
  const at = entries.findIndex((entry) => entry.manager === write.manager && entry.subresource === write.subresource);
  const entry: ManagedFieldsEntry = {
    manager: write.manager,
    operation: "Update",
    apiVersion: kind.apiVersion,
    time: write.time,
    fieldsType: "FieldsV1",
    fieldsV1: at < 0 ? written : united(entries[at]?.fieldsV1 ?? {}, written),
    ...(write.subresource !== undefined && { subresource: write.subresource }),
  };
  if (at < 0) entries.push(entry);
  else entries[at] = entry;
  next.metadata.managedFields = entries;
}

type Fields = Readonly<Record<string, unknown>>;

function changedFields(next: Fields, previous: Fields, depth: number): FieldTree | undefined {
  const tree: FieldTree = {};
  let any = false;
  for (const key of Object.keys(next)) {
    if (depth === 1 && UNOWNED.has(key)) continue;
    const [now, before] = [next[key], previous[key]];
    if (now === before) continue;
    const below = isMap(now) && depth < 4 ? changedFields(now, isMap(before) ? before : {}, depth + 1) : undefined;
    if (!below && (isMap(now) ? before !== undefined || depth === 0 : isDeepStrictEqual(now, before))) continue;
    tree[`f:${key}`] = below ?? {};
    any = true;
  }
  return any ? tree : undefined;
}

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function united(a: FieldTree, b: FieldTree): FieldTree {
  const sum = { ...a };
  for (const [key, below] of Object.entries(b)) sum[key] = sum[key] ? united(sum[key], below) : below;
  return sum;
}
