import { StalewatchError } from "../base/index.ts";
import { apiVersionOf, type ObjectRef, type Resource, resourceName } from "../resources/index.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `/apis/batch/v1/namespaces/shop/jobs`, or all namespaces' without one. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = `${resource.group ? "/apis" : "/api"}/${apiVersionOf(resource)}`;
  const within = resource.namespaced && namespace ? `/namespaces/${segment(namespace)}` : "";
  return `${root}${within}/${resource.resource}`;
}

/** Errors: `NAMESPACE_MISSING`, `NAME_UNUSABLE`. */
export function objectPath(resource: Resource, ref: ObjectRef, subresource?: string): string {
  requireNamespace(resource, ref.namespace);
  const tail = subresource ? `/${subresource}` : "";
  return `${collectionPath(resource, ref.namespace)}/${segment(ref.name)}${tail}`;
}

export function requireNamespace(resource: Resource, namespace: string | undefined): void {
  if (!resource.namespaced || namespace) return;
  const subject = resourceName(resource);
  throw new StalewatchError("NAMESPACE_MISSING", `${subject} live in namespaces, and none is given`, "name one");
}

export function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}

/** One step of a path. "." and ".." would lead elsewhere, and no object can have these names. */
function segment(name: string): string {
  if (name === "" || name === "." || name === "..") {
    throw new StalewatchError("NAME_UNUSABLE", `"${name}" cannot be the name of an object`);
  }
  return encodeURIComponent(name);
}
