import type { Kind } from "../storage/kind.ts";
import type { KindRegistry } from "../storage/kind-registry.ts";
import { schemaOf } from "./open-api-schema.ts";

const ROOT = "/openapi/v3";

/**
 * As much OpenAPI v3 as kubectl asks for: that the server validates fields itself (`create`, `apply`), and schemas to read
 * (`explain`).
 */
export function openApi(kinds: KindRegistry, path: string): object | undefined {
  if (path === ROOT) {
    const entries = [...kinds.all()].map(groupPath).map((entry) => [entry, { serverRelativeURL: `${ROOT}/${entry}` }]);
    return { paths: Object.fromEntries(entries) as object };
  }
  if (!path.startsWith(`${ROOT}/`)) return undefined;
  const wanted = [...kinds.all()].filter((kind) => `${ROOT}/${groupPath(kind)}` === path);
  if (wanted.length === 0) return undefined;
  const paths = Object.fromEntries(wanted.map((kind) => [objectPath(kind), operations(kind)])) as object;
  const schemas = Object.fromEntries(wanted.map((kind) => [schemaName(kind), schemaOf(kind)])) as object;
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "v1.37.2" }, paths, components: { schemas } };
}

function groupPath({ group, version }: Kind): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function schemaName({ group, version, kind }: Kind): string {
  return [group, version, kind].filter(Boolean).join(".");
}

function objectPath(kind: Kind): string {
  const namespace = kind.namespaced ? "namespaces/{namespace}/" : "";
  return `/${groupPath(kind)}/${namespace}${kind.resource}/{name}`;
}

function operations({ group, version, kind }: Kind): object {
  const operation = {
    parameters: [{ name: "fieldValidation", in: "query", schema: { type: "string" } }],
    responses: { 200: { description: "OK" } },
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
  return { patch: operation, put: operation };
}
