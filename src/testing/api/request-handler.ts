import { noSuchResource, StatusError } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { KindRegistry } from "../storage/kind-registry.ts";
import { jsonCodec } from "../wire/json-codec.ts";
import { negotiate } from "../wire/media-type.ts";
import type { Backend, Target } from "./backend.ts";
import { discover } from "./discovery.ts";
import type { ServerRequest, ServerResponse } from "./exchange.ts";
import { list } from "./list.ts";
import { paced } from "./paced.ts";
import { type ApiPath, parseApiPath } from "./path.ts";
import { readOne } from "./read-one.ts";
import { readOptions } from "./read-options.ts";
import { review } from "./reviews.ts";
import { selectionOf } from "./selection.ts";
import { attemptedVerb, verbOf } from "./verb.ts";
import { watch } from "./watch.ts";
import { deleteCollection, deleteOne, writeOne } from "./write.ts";

/** Answers any request; never throws for what a client sent. */
export async function handleRequest(backend: Backend, request: ServerRequest): Promise<ServerResponse> {
  let kind: Kind | undefined;
  try {
    const path = parseApiPath(request.path);
    const user = userOf(backend, request);
    kind = path && backend.kinds.find(path.group, path.version, path.resource);
    if (!path || !kind) return await answerOther(backend, request, path, user);
    const target = { kind, path, verb: verbOf(request.method, kind, path) };
    const faulted = await backend.faults.before(target, request.replica);
    if (faulted) throw faulted;
    const { group, resource, namespace, name, subresource } = { ...path, group: kind.group };
    backend.access.check({ user, verb: target.verb, group, resource, subresource, namespace, name });
    const response = await answer(backend, request, target);
    backend.faults.after(target, request.replica);
    return response;
  } catch (error) {
    if (error instanceof StatusError) return refusal(backend, error, request, kind);
    throw error;
  }
}

function answer(backend: Backend, request: ServerRequest, target: Target): Promise<ServerResponse> | ServerResponse {
  switch (target.verb) {
    case "list":
      return answerList(backend, request, target);
    case "watch":
      return answerWatch(backend, request, target);
    case "get":
      return readOne(backend, request, target);
    case "delete":
      return deleteOne(backend, request, target);
    case "deletecollection":
      return deleteCollection(backend, request, target);
    default:
      return writeOne(backend, request, target);
  }
}

async function answerList(backend: Backend, request: ServerRequest, { kind, path }: Target): Promise<ServerResponse> {
  const codec = negotiate(request.headers["accept"], kind, backend.clock);
  const options = readOptions(path.query, false);
  const selection = selectionOf(kind, path.namespace, path.query);
  const { meta, items } = await list(backend.store, request.replica, {
    kind,
    namespace: path.namespace,
    selection,
    options,
  });
  return {
    status: 200,
    headers: { "content-type": codec.contentType },
    body: paced(codec.list(kind, meta, items), () => backend.noteActivity()),
  };
}

async function answerWatch(backend: Backend, request: ServerRequest, { kind, path }: Target): Promise<ServerResponse> {
  const codec = negotiate(request.headers["accept"], kind, backend.clock);
  const options = readOptions(path.query, true);
  const selection = selectionOf(kind, path.namespace, path.query);
  const stream = await watch(backend, request.replica, { kind, selection, options, codec });
  return { status: 200, headers: { "content-type": codec.streamContentType }, body: stream.body };
}

/** Reviews, discovery, health and version; 404 for everything else. */
async function answerOther(
  backend: Backend,
  request: ServerRequest,
  path: ApiPath | undefined,
  user: string,
): Promise<ServerResponse> {
  const reviewed = path && review(backend, request, path, user);
  if (reviewed) return json(201, reviewed);
  const pathname = request.path.split("?", 1)[0] ?? "/";
  const verb = request.method.toLowerCase();
  const attempted = path && attemptedVerb(request.method, path);
  // As kube-apiserver does: who may not use a kind is not told whether there is one.
  if (attempted) backend.access.check({ user, ...path, verb: attempted });
  else backend.access.check({ user, verb, nonResourcePath: pathname });
  const found = request.method === "GET" ? discover(backend.kinds, pathname) : undefined;
  if (typeof found === "string") return text(200, found);
  if (found) return json(200, found);
  if (path && hasVersion(backend.kinds, path)) throw noSuchResource();
  return text(404, "404 page not found\n");
}

function hasVersion(kinds: KindRegistry, { group, version }: ApiPath): boolean {
  for (const kind of kinds.all()) if (kind.group === group && kind.version === version) return true;
  return false;
}

/** Errors: 401 for a token that nobody has. */
function userOf({ users }: Backend, request: ServerRequest): string {
  const token = /^Bearer (.+)$/i.exec(request.headers["authorization"] ?? "")?.[1];
  if (token === undefined) return "system:admin";
  const user = users.get(token);
  if (user !== undefined) return user;
  throw new StatusError(401, "Unauthorized", "Unauthorized");
}

function refusal(backend: Backend, error: StatusError, request: ServerRequest, kind: Kind | undefined): ServerResponse {
  const codec = kind ? errorCodec(backend, request, kind) : jsonCodec;
  const headers: Record<string, string> = { "content-type": codec.contentType };
  const retryAfter = error.status.details?.retryAfterSeconds;
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  return { status: error.code, headers, body: codec.status(error.status) };
}

/** An error is told in the wire format that was asked for, if there is such a one. */
function errorCodec(backend: Backend, request: ServerRequest, kind: Kind): typeof jsonCodec {
  try {
    return negotiate(request.headers["accept"], kind, backend.clock);
  } catch (error) {
    if (error instanceof StatusError) return jsonCodec;
    throw error;
  }
}

function json(status: number, value: unknown): ServerResponse {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}

function text(status: number, value: string): ServerResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: Buffer.from(value) };
}
