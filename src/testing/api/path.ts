/** What a URL points at, before anybody knows whether it exists. */
export interface ApiPath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly resource: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** Splits `/api/v1/...` and `/apis/GROUP/VERSION/...` that go on to a resource; undefined for every other path. */
export function parseApiPath(path: string): ApiPath | undefined {
  const mark = path.indexOf("?");
  const [root, ...steps] = (mark < 0 ? path : path.slice(0, mark)).split("/").slice(1).map(decode);
  if (root !== "api" && root !== "apis") return undefined;
  const [group = "", version = "", ...rest] = root === "api" ? ["", ...steps] : steps;
  if (!rest[0]) return undefined;
  const query = new URLSearchParams(mark < 0 ? "" : path.slice(mark + 1));
  const inNamespace = rest[0] === "namespaces" && rest.length >= 3 && !isNamespaceSubresource(rest);
  const namespace = inNamespace ? rest[1] : undefined;
  const [resource = "", name, subresource, ...more] = inNamespace ? rest.slice(2) : rest;
  if (more.length > 0) return undefined;
  return { group, version, namespace, resource, name, subresource, query };
}

/** `/api/v1/namespaces/shop/status` is about the Namespace, not about a resource called "status" in it. */
function isNamespaceSubresource(rest: readonly string[]): boolean {
  return rest.length === 3 && (rest[2] === "status" || rest[2] === "finalize");
}

function decode(step: string): string {
  if (!step.includes("%")) return step;
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // No resource has such a name: it will not be found.
  }
}
