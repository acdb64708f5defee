import { messageOf } from "../base/index.ts";
import type { Log } from "../telemetry/index.ts";
import { isTransient } from "./errors.ts";
import { isRecord, type Json } from "./json-reader.ts";

export interface DiscoveredResource {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Its objects have a status that is written apart from their spec. */
  readonly hasStatus: boolean;
}

/**
 * What the server serves: every version of every group, without subresources. The groups of an aggregated server that is down are
 * left out, and logged.
 */
export async function discoverResources(
  read: (path: string) => Promise<unknown>,
  log: Log,
): Promise<DiscoveredResource[]> {
  const [core, groups] = await Promise.all([read("/api"), read("/apis")]);
  const named = recordsIn(groups, "groups").flatMap((group) => recordsIn(group, "versions"));
  const groupVersions = [...textsIn(core, "versions"), ...named.map((version) => String(version["groupVersion"]))];
  const found = await Promise.all(groupVersions.map((groupVersion) => readGroupVersion(groupVersion, read, log)));
  return found.flat();
}

async function readGroupVersion(
  groupVersion: string,
  read: (path: string) => Promise<unknown>,
  log: Log,
): Promise<DiscoveredResource[]> {
  const slash = groupVersion.indexOf("/");
  const group = slash < 0 ? "" : groupVersion.slice(0, slash);
  const version = groupVersion.slice(slash + 1);
  try {
    const list = await read(`${group ? "/apis" : "/api"}/${groupVersion}`);
    const entries = recordsIn(list, "resources");
    const names = new Set(entries.map(({ name }) => name));
    return entries
      .filter(({ name }) => typeof name === "string" && !name.includes("/"))
      .map((entry) => ({
        group,
        version,
        kind: String(entry["kind"]),
        resource: String(entry["name"]),
        namespaced: entry["namespaced"] === true,
        verbs: textsIn(entry, "verbs"),
        hasStatus: names.has(`${String(entry["name"])}/status`),
      }));
  } catch (thrown) {
    if (!isTransient(thrown)) throw thrown;
    log.warn("a group of the API cannot be discovered and is left out", { groupVersion, error: messageOf(thrown) });
    return [];
  }
}

function recordsIn(value: unknown, name: string): Json[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function textsIn(value: unknown, name: string): string[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
