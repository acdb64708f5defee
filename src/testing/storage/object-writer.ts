import { isDeepStrictEqual } from "node:util";
import type { Clock, Random } from "../../base/index.ts";
import { keyOf, type ObjectRef } from "../../resources/index.ts";
import { alreadyExists, badRequest, conflict, invalid, notFound, StatusError } from "../status-error.ts";
import type { FieldCause, Kind } from "./kind.ts";
import { recordManager } from "./managed-fields.ts";
import { checkName, randomSuffix, randomUid } from "./names.ts";
import type { Store } from "./store.ts";
import { timestamp } from "./timestamp.ts";
import type { StoredMeta, StoredObject } from "./stored-object.ts";

export interface WriteOptions {
  dryRun?: boolean;
  fieldManager?: string;
  subresource?: "status" | undefined;
  /** Stores what real validation would refuse, keeps a given status: for tests that set a scene. */
  trusted?: boolean;
}

/**
 * Creates and updates as the API server's registry does: system fields, defaults, validation, separation of spec and status,
 * generations, no-op detection, end of objects whose last finalizer goes.
 */
export class ObjectWriter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(store: Store, env: { clock: Clock; random: Random }) {
    this.#store = store;
    this.#clock = env.clock;
    this.#random = env.random;
  }

  /** Stores `draft`, which becomes the server's: callers must not keep it. */
  create(
    kind: Kind,
    namespace: string | undefined,
    draft: Record<string, unknown>,
    options: WriteOptions,
  ): StoredObject {
    const metadata = (draft["metadata"] ?? {}) as StoredMeta;
    if (metadata.namespace && metadata.namespace !== (namespace ?? "")) throw namespaceMismatch();
    if (metadata.resourceVersion)
      throw new StatusError(500, "", "resourceVersion should not be set on objects to be created");
    this.#fillMetadata(kind, namespace, metadata);
    const object: Record<string, unknown> & StoredObject = { ...draft, metadata };
    if (kind.status && !options.trusted) delete object["status"];
    kind.rules.prepareCreate?.(object, metadata.uid);
    if (kind.status && !kind.custom) object["status"] ??= {};
    this.#validate(kind, object, undefined, options);
    const key = keyOf(metadata);
    if (this.#store.table(kind).get(key)) throw alreadyExists(kind, metadata.name);
    recordManager(kind, object, undefined, this.#manager(options));
    return options.dryRun ? object : this.#store.put(kind, key, object);
  }

  /** `change` makes the new object out of the stored one and must not touch that. */
  update(
    kind: Kind,
    ref: ObjectRef,
    change: (current: StoredObject) => StoredObject,
    options: WriteOptions,
  ): StoredObject {
    const key = keyOf(ref);
    const current = this.#store.table(kind).get(key);
    if (!current) throw notFound(kind, ref.name);
    const wanted = change(current);
    const version = wanted.metadata.resourceVersion as string | undefined;
    if (version && version !== current.metadata.resourceVersion)
      throw versionConflict(this.#store, kind, ref.name, version);
    const next = this.#merged(kind, current, wanted, options);
    this.#validate(kind, next, current, options);
    if (isDeepStrictEqual(next, current)) return current;
    bumpGeneration(kind, next, current, options);
    recordManager(kind, next, current, this.#manager(options));
    if (options.dryRun) return next;
    if (!isFinished(kind, next)) return this.#store.put(kind, key, next);
    this.#store.remove(kind, key, next);
    return next;
  }

  /** The new object with the parts that this write may not touch taken from the stored one. */
  #merged(kind: Kind, current: StoredObject, wanted: StoredObject, options: WriteOptions): StoredObject {
    const old = current.metadata;
    const keepsMetadata = options.subresource === "status" && kind.custom;
    const metadata: StoredMeta = { ...(keepsMetadata ? old : wanted.metadata), ...systemFields(old) };
    for (const field of SYSTEM_FIELDS) if (old[field] === undefined) delete metadata[field];
    dropEmpty(metadata);
    if (options.subresource === "status") {
      return kind.custom
        ? { ...current, metadata, status: wanted["status"] }
        : { ...wanted, metadata, spec: current["spec"] };
    }
    const next: Record<string, unknown> & StoredObject = { ...wanted, metadata };
    if (kind.status && !options.trusted) {
      if (current["status"] === undefined) delete next["status"];
      else next["status"] = current["status"];
    }
    return next;
  }

  #fillMetadata(kind: Kind, namespace: string | undefined, metadata: StoredMeta): void {
    if (!metadata.name && metadata.generateName) metadata.name = metadata.generateName + randomSuffix(this.#random);
    metadata.name ??= "";
    if (kind.namespaced) metadata.namespace = namespace ?? "";
    else delete metadata.namespace;
    metadata.uid = randomUid(this.#random);
    metadata.creationTimestamp = timestamp(this.#clock.now());
    if (kind.generation) metadata.generation = 1;
    else delete metadata.generation;
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.managedFields;
    dropEmpty(metadata);
  }

  #validate(kind: Kind, object: StoredObject, previous: StoredObject | undefined, options: WriteOptions): void {
    const causes: FieldCause[] = previous ? newFinalizers(object, previous) : checkName(object.metadata);
    if (!options.trusted && options.subresource === undefined) {
      causes.push(...(kind.rules.validate?.(object, previous) ?? []));
    }
    if (causes.length > 0) throw invalid(kind, object.metadata.name, causes);
  }

  #manager(options: WriteOptions): { manager: string; time: string; subresource: string | undefined } {
    const time = timestamp(this.#clock.now());
    return { manager: options.fieldManager ?? "unknown", time, subresource: options.subresource };
  }
}

const SYSTEM_FIELDS = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
] as const;

function systemFields(metadata: StoredMeta): Partial<StoredMeta> {
  const kept: Record<string, unknown> = {};
  for (const field of SYSTEM_FIELDS) if (metadata[field] !== undefined) kept[field] = metadata[field];
  return kept;
}

/** Empty maps and lists are the same as none, so that they make no difference between two objects. */
function dropEmpty(metadata: StoredMeta): void {
  for (const field of ["labels", "annotations", "ownerReferences", "finalizers"] as const) {
    const value = metadata[field];
    if (value === null || (value !== undefined && Object.keys(value).length === 0)) delete metadata[field];
  }
}

/** A write to an object that is being deleted and has nothing left to wait for ends it. */
function isFinished(kind: Kind, object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (kind.rules.terminating) return false;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function bumpGeneration(kind: Kind, next: StoredObject, current: StoredObject, options: WriteOptions): void {
  if (!kind.generation || options.subresource) return;
  const changed = kind.custom
    ? !isDeepStrictEqual({ ...next, metadata: null, status: null }, { ...current, metadata: null, status: null })
    : !isDeepStrictEqual(next["spec"], current["spec"]);
  if (changed) next.metadata.generation = (current.metadata.generation ?? 0) + 1;
}

function newFinalizers(object: StoredObject, previous: StoredObject): FieldCause[] {
  if (!previous.metadata.deletionTimestamp) return [];
  const before = previous.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  const rule = "no new finalizers can be added if the object is being deleted, found new finalizers";
  const message = `Forbidden: ${rule} []string{${list}}`;
  return [{ reason: "FieldValueForbidden", message, field: "metadata.finalizers" }];
}

function versionConflict(store: Store, kind: Kind, name: string, version: string): StatusError {
  if (store.scale.revision(version) === undefined) {
    return new StatusError(500, "", `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  const why = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(kind, name, why);
}

function namespaceMismatch(): StatusError {
  return badRequest("the namespace of the provided object does not match the namespace sent on the request");
}
