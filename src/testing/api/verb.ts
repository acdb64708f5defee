import { methodNotAllowed, noSuchResource } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { Verb } from "./backend.ts";
import type { ApiPath } from "./path.ts";
import { isWatch } from "./read-options.ts";

/** What a request wants to do. Errors: 404 for paths that the kind does not have, 405 for methods that the path does not take. */
export function verbOf(method: string, kind: Kind, path: ApiPath): Verb {
  if (!isServed(kind, path)) throw noSuchResource();
  const verb = attemptedVerb(method, path);
  if (!verb || !isAllowed(verb, kind, path)) throw methodNotAllowed();
  return verb;
}

/** What a request wants to do, whether or not there is such a kind; undefined for methods that no resource takes. */
export function attemptedVerb(method: string, { name, query }: ApiPath): Verb | undefined {
  return name ? SINGLE_VERBS[method] : collectionVerb(method, query);
}

function isServed(kind: Kind, { namespace, name, subresource }: ApiPath): boolean {
  if (subresource !== undefined && (subresource !== "status" || !kind.status)) return false;
  return kind.namespaced ? namespace !== undefined || !name : namespace === undefined;
}

function isAllowed(verb: Verb, kind: Kind, { namespace, subresource }: ApiPath): boolean {
  if (subresource !== undefined) return verb !== "delete";
  return namespace !== undefined || !kind.namespaced || (verb !== "create" && verb !== "deletecollection");
}

const SINGLE_VERBS: Readonly<Record<string, Verb>> = { GET: "get", PUT: "update", PATCH: "patch", DELETE: "delete" };

function collectionVerb(method: string, query: URLSearchParams): Verb | undefined {
  if (method === "GET") return isWatch(query) ? "watch" : "list";
  if (method === "POST") return "create";
  return method === "DELETE" ? "deletecollection" : undefined;
}
