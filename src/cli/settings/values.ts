import { StalewatchError } from "../../base/index.ts";
import type { WatchedKind } from "../../sidecar/index.ts";

/** `apps/v1/deployments`, or `v1/configmaps` in the core group; never Secrets, not even their metadata. Errors: `BAD_KIND`. */
export function parseWatchedKind(text: string): WatchedKind {
  const parts = text.split("/");
  const [group = "", version = "", resource = ""] = parts.length === 2 ? ["", ...parts] : parts;
  const good =
    parts.length <= 3 && /^[\w.-]*$/.test(group) && /^v\d\w*$/.test(version) && /^[a-z][a-z0-9-]*$/.test(resource);
  if (good && group === "" && resource === "secrets") {
    throw new StalewatchError("BAD_KIND", `"${text}" is never read`, "leave it out");
  }
  if (good) return { group, version, resource };
  throw new StalewatchError(
    "BAD_KIND",
    `"${text}" is not GROUP/VERSION/RESOURCE`,
    "write the plural as the API serves it, such as apps/v1/deployments or v1/configmaps",
  );
}
