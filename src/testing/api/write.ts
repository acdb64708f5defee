import { type ObjectRef } from "../../resources/index.ts";
import { badRequest, conflict, invalid, notFound, StatusError } from "../status-error.ts";
import { copyJson } from "../storage/copy-json.ts";
import type { Kind } from "../storage/kind.ts";
import type { WriteOptions } from "../storage/object-writer.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { negotiate } from "../wire/media-type.ts";
import type { Backend, Target } from "./backend.ts";
import { checkMetadata, mediaTypeOf, readBody, readObject } from "./body.ts";
import { deleteWish, isDryRun } from "./delete-wish.ts";
import type { ServerRequest, ServerResponse } from "./exchange.ts";
import { paced } from "./paced.ts";
import type { ApiPath } from "./path.ts";
import { applyPatchBody } from "./patch.ts";
import { selectionOf } from "./selection.ts";

/** POST, PUT and PATCH of one object. */
export function writeOne(backend: Backend, request: ServerRequest, target: Target): ServerResponse {
  const { kind, verb } = target;
  const codec = negotiate(request.headers["accept"], kind, backend.clock);
  const object = verb === "create" ? create(backend, request, target) : change(backend, request, target);
  const headers = { "content-type": codec.contentType };
  return { status: verb === "create" ? 201 : 200, headers, body: codec.object(kind, object) };
}

function create(backend: Backend, request: ServerRequest, { kind, path }: Target): StoredObject {
  const draft = readObject(request, kind);
  if (path.namespace !== undefined) requireNamespace(backend, kind, path.namespace, draft);
  return backend.writer.create(kind, path.namespace, draft, optionsOf(request, path));
}

function change({ writer }: Backend, request: ServerRequest, { kind, path, verb }: Target): StoredObject {
  const ref = refOf(path);
  const make = verb === "update" ? replacement(request, kind, ref) : patching(request, kind, ref);
  return writer.update(kind, ref, make, optionsOf(request, path));
}

type Change = (current: StoredObject) => StoredObject;

function replacement(request: ServerRequest, kind: Kind, ref: ObjectRef): Change {
  const wanted = readObject(request, kind) as unknown as StoredObject;
  const { name, namespace, uid, resourceVersion } = wanted.metadata ?? {};
  if (!name) {
    throw badRequest(`the name of the object (${ref.name} based on URL) was undeterminable: name must be provided`);
  }
  checkSame(ref, name, namespace);
  return (current) => {
    if (uid && uid !== current.metadata.uid) {
      const { uid: recorded } = current.metadata;
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${recorded}`;
      throw conflict(kind, name, `StorageError: invalid object, Code: 4, AdditionalErrorMsg: ${why}`);
    }
    if (!resourceVersion && kind.rules.conditionalUpdate) {
      const message = "Invalid value: 0: must be specified for an update";
      throw invalid(kind, name, [{ reason: "FieldValueInvalid", message, field: "metadata.resourceVersion" }]);
    }
    return wanted;
  };
}

function patching(request: ServerRequest, kind: Kind, ref: ObjectRef): Change {
  const body = readBody(request, undefined, () => "invalid JSON patch");
  return (current) => {
    const target = copyJson(current) as unknown as Record<string, unknown>;
    const { apiVersion: _, kind: __, ...patched } = applyPatchBody(kind, mediaTypeOf(request), body, target);
    checkMetadata(patched);
    const next = { metadata: {}, ...patched } as unknown as StoredObject;
    checkSame(ref, next.metadata.name, next.metadata.namespace);
    if (next.metadata.uid !== current.metadata.uid) {
      const message = `Invalid value: ${JSON.stringify(next.metadata.uid)}: field is immutable`;
      throw invalid(kind, ref.name, [{ reason: "FieldValueInvalid", message, field: "metadata.uid" }]);
    }
    return next;
  };
}

function checkSame(ref: ObjectRef, name: string, namespace: string | undefined): void {
  if (name !== ref.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${ref.name})`);
  }
  if (namespace && namespace !== ref.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** DELETE of one object: the object while something keeps it, else a Status. */
export function deleteOne(backend: Backend, request: ServerRequest, { kind, path }: Target): ServerResponse {
  const codec = negotiate(request.headers["accept"], kind, backend.clock);
  const wish = deleteWish(request, path);
  const { object, gone } = backend.deleter.delete(kind, refOf(path), wish);
  const headers = { "content-type": codec.contentType };
  if (!gone || kind.rules.returnsDeleted) {
    return { status: 200, headers, body: codec.object(kind, object) };
  }
  const { name, uid } = object.metadata;
  const details = { name, ...(kind.group && { group: kind.group }), kind: kind.resource, uid };
  return { status: 200, headers, body: codec.status({ metadata: {}, status: "Success", details }) };
}

/** DELETE of all that the selectors match; answers with the list of them. */
export function deleteCollection(backend: Backend, request: ServerRequest, { kind, path }: Target): ServerResponse {
  const codec = negotiate(request.headers["accept"], kind, backend.clock);
  const wish = deleteWish(request, path);
  const selection = selectionOf(kind, path.namespace, path.query);
  const { store, deleter } = backend;
  const resourceVersion = store.scale.text(store.revision);
  const items = store
    .table(kind)
    .sorted()
    .filter((object) => selection.matches(object));
  for (const { metadata } of items) deleter.delete(kind, metadata, wish);
  return {
    status: 200,
    headers: { "content-type": codec.contentType },
    body: paced(codec.list(kind, { resourceVersion }, items), () => backend.noteActivity()),
  };
}

function refOf({ namespace, name = "" }: ApiPath): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}

function optionsOf(request: ServerRequest, { query, subresource }: ApiPath): WriteOptions {
  const agent = (request.headers["user-agent"] ?? "unknown").split("/", 1)[0] || "unknown";
  return {
    dryRun: isDryRun(query),
    fieldManager: query.get("fieldManager") ?? agent,
    subresource: subresource === "status" ? "status" : undefined,
  };
}

/** Errors: 404 without the namespace, 403 while it is being deleted. */
function requireNamespace({ store, kinds }: Backend, kind: Kind, name: string, draft: Record<string, unknown>): void {
  const namespaces = kinds.require({ group: "", resource: "namespaces" });
  const namespace = store.table(namespaces).get(name);
  if (!namespace) throw notFound(namespaces, name);
  if (!namespace.metadata.deletionTimestamp) return;
  const own = (draft["metadata"] as { name?: string } | undefined)?.name ?? "";
  const why = `unable to create new content in namespace ${name} because it is being terminated`;
  throw new StatusError(403, "Forbidden", `${kind.id} "${own}" is forbidden: ${why}`, {
    name: own,
    ...(kind.group && { group: kind.group }),
    kind: kind.resource,
    causes: [
      { reason: "NamespaceTerminating", message: `namespace ${name} is being terminated`, field: "metadata.namespace" },
    ],
  });
}
