type Fields = Record<string, unknown>;

/** Lists that are merged item by item, and the field that tells their items apart. All other lists are replaced as a whole. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  conditions: "type",
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  env: "name",
  envFrom: "",
  imagePullSecrets: "name",
  ownerReferences: "uid",
  ports: "containerPort",
  resourceClaims: "name",
  schedulingGates: "name",
  volumeDevices: "devicePath",
  volumeMounts: "mountPath",
  volumes: "name",
};
/** Lists of strings that are united. */
const SETS = new Set(["finalizers"]);

/**
 * Strategic merge patch for the built-in kinds of this server: maps are merged, null deletes, the lists above are merged by key,
 * and `$patch: delete|replace`, `$deleteFromPrimitiveList` and `$retainKeys` are obeyed; `$setElementOrder` is not needed to get
 * the content right and is ignored
 * (https://github.com/kubernetes/community/blob/main/contributors/devel/sig-api-machinery/strategic-merge-patch.md).
 */
export function strategicMerge(target: Fields, patch: Fields): Fields {
  if (patch["$patch"] === "replace") return withoutDirectives(patch);
  const merged = retained(target, patch["$retainKeys"]);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$deleteFromPrimitiveList/")) removeFrom(merged, key.slice(key.indexOf("/") + 1), value);
    else if (!key.startsWith("$")) mergeField(merged, key, value);
  }
  return merged;
}

function mergeField(merged: Fields, key: string, value: unknown): void {
  const old = merged[key];
  if (value === null) delete merged[key];
  else if (Array.isArray(value)) merged[key] = mergeList(key, Array.isArray(old) ? old : [], value);
  else if (!isMap(value)) merged[key] = value;
  else if (value["$patch"] === "delete") delete merged[key];
  else merged[key] = strategicMerge(isMap(old) ? old : {}, value);
}

function mergeList(field: string, old: readonly unknown[], patch: readonly unknown[]): unknown[] {
  if (SETS.has(field)) return [...new Set([...old, ...patch])];
  const mergeKey = MERGE_KEYS[field];
  const items = patch.filter(isMap);
  if (!mergeKey || items.length < patch.length) return [...patch];
  if (items.some((item) => item["$patch"] === "replace")) {
    return items.filter((item) => item["$patch"] === undefined);
  }
  const merged = old.filter(isMap);
  for (const item of items) {
    const at = merged.findIndex((candidate) => candidate[mergeKey] === item[mergeKey]);
    if (item["$patch"] === "delete") {
      if (at >= 0) merged.splice(at, 1);
    } else if (at >= 0) merged[at] = strategicMerge(merged[at] as Fields, item);
    else merged.push(strategicMerge({}, item));
  }
  return merged;
}

function retained(target: Fields, keys: unknown): Fields {
  if (!Array.isArray(keys)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

function removeFrom(merged: Fields, field: string, values: unknown): void {
  const old = merged[field];
  if (Array.isArray(old) && Array.isArray(values)) merged[field] = old.filter((value) => !values.includes(value));
}

function withoutDirectives(patch: Fields): Fields {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith("$")));
}

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
