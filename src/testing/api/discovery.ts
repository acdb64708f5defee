import type { Kind } from "../storage/kind.ts";
import type { KindRegistry } from "../storage/kind-registry.ts";
import { openApi } from "./open-api.ts";

/** The release whose behaviour is reproduced. */
const VERSION = {
  major: "1",
  minor: "37",
  gitVersion: "v1.37.2+stalewatch",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: "embedded",
};

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const HEALTH_PATHS = new Set(["/healthz", "/livez", "/readyz"]);

/** Groups of which only reviews are served. */
const REVIEWS: Readonly<Record<string, readonly string[]>> = {
  "authentication.k8s.io": ["TokenReview"],
  "authorization.k8s.io": ["SelfSubjectAccessReview", "SubjectAccessReview"],
};

/**
 * The documents by which clients learn what is served: an object for JSON, a string for plain text, undefined for no such page.
 * The aggregated form is not served; clients fall back to these.
 */
export function discover(kinds: KindRegistry, path: string): object | string | undefined {
  if (HEALTH_PATHS.has(path)) return "ok";
  if (path === "/version") return VERSION;
  if (path.startsWith("/openapi/")) return openApi(kinds, path);
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
  if (path === "/apis") return { kind: "APIGroupList", apiVersion: "v1", groups: groups(kinds) };
  const [, root, group = "", version, ...rest] = path.split("/");
  if (rest.length > 0) return undefined;
  if (root === "api") return version === undefined ? resourceList(kinds, "", group) : undefined;
  if (root !== "apis") return undefined;
  if (version !== undefined) return resourceList(kinds, group, version);
  const found = groups(kinds).find(({ name }) => name === group);
  return found && { kind: "APIGroup", apiVersion: "v1", ...found };
}

interface ApiGroup {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
  readonly preferredVersion: GroupVersion;
}

interface GroupVersion {
  readonly groupVersion: string;
  readonly version: string;
}

function groups(kinds: KindRegistry): ApiGroup[] {
  const versions = new Map<string, Set<string>>(Object.keys(REVIEWS).map((group) => [group, new Set(["v1"])]));
  for (const { group, version } of kinds.all()) {
    if (group !== "") versions.set(group, (versions.get(group) ?? new Set()).add(version));
  }
  return [...versions].map(([name, set]) => {
    const list = [...set].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: list, preferredVersion: list[0] as GroupVersion };
  });
}

function resourceList(kinds: KindRegistry, group: string, version: string): object | undefined {
  const resources: object[] = reviewsOf(group, version);
  for (const kind of kinds.all()) {
    if (kind.group === group && kind.version === version) resources.push(...entriesOf(kind));
  }
  if (resources.length === 0) return undefined;
  const groupVersion = group === "" ? version : `${group}/${version}`;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

function entriesOf(kind: Kind): object[] {
  const { resource, singular, namespaced, kind: name, shortNames } = kind;
  const own = { name: resource, singularName: singular, namespaced, kind: name, verbs: VERBS };
  const entry = { ...own, ...(shortNames.length > 0 && { shortNames }) };
  if (!kind.status) return [entry];
  const status = { name: `${resource}/status`, singularName: "", namespaced, kind: name };
  return [entry, { ...status, verbs: ["get", "patch", "update"] }];
}

function reviewsOf(group: string, version: string): object[] {
  const kinds = version === "v1" ? (REVIEWS[group] ?? []) : [];
  return kinds.map((kind) => {
    const singularName = kind.toLowerCase();
    return { name: `${singularName}s`, singularName, namespaced: false, kind, verbs: ["create"] };
  });
}
