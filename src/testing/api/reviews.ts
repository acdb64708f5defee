import { methodNotAllowed } from "../status-error.ts";
import { reviewShapes } from "../wire/wire-shapes.ts";
import type { Backend } from "./backend.ts";
import { readBody } from "./body.ts";
import type { ServerRequest } from "./exchange.ts";
import type { ApiPath } from "./path.ts";

interface ReviewSpec {
  token?: string;
  user?: string;
  resourceAttributes?: { verb?: string; group?: string; resource?: string; subresource?: string } & {
    namespace?: string;
    name?: string;
  };
  nonResourceAttributes?: { verb?: string; path?: string };
}

const KINDS: Readonly<Record<string, string>> = {
  "authentication.k8s.io/tokenreviews": "TokenReview",
  "authorization.k8s.io/selfsubjectaccessreviews": "SelfSubjectAccessReview",
  "authorization.k8s.io/subjectaccessreviews": "SubjectAccessReview",
};

/** TokenReview, SubjectAccessReview and SelfSubjectAccessReview: questions that are asked by POST. Undefined for other paths. */
export function review(backend: Backend, request: ServerRequest, path: ApiPath, user: string): object | undefined {
  const kind = path.version === "v1" ? KINDS[`${path.group}/${path.resource}`] : undefined;
  if (!kind) return undefined;
  if (request.method !== "POST" || path.name !== undefined) throw methodNotAllowed();
  const body = readBody(request, reviewShapes[kind], (problem) => `invalid ${kind}: ${problem}`) as
    | { spec?: ReviewSpec }
    | undefined;
  const spec = body?.spec ?? {};
  const status = kind === "TokenReview" ? authenticated(backend, spec) : allowed(backend, spec, spec.user ?? user);
  return { kind, apiVersion: `${path.group}/v1`, metadata: {}, spec, status };
}

function authenticated({ users }: Backend, { token = "" }: ReviewSpec): object {
  const username = users.get(token);
  if (username === undefined) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user: { username, groups: ["system:authenticated"] } };
}

function allowed({ access }: Backend, spec: ReviewSpec, user: string): object {
  const { resourceAttributes: attributes, nonResourceAttributes: other } = spec;
  const attempt = attributes
    ? { ...attributes, group: attributes.group ?? "", verb: attributes.verb ?? "" }
    : { verb: other?.verb ?? "", nonResourcePath: other?.path ?? "" };
  return { allowed: access.allows({ ...attempt, user }) };
}
