import { badRequest, invalidOptions, StatusError } from "../status-error.ts";
import type { FieldCause } from "../storage/kind.ts";

/** The options of a list or a watch, checked as the API server checks them. */
export interface ReadOptions {
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

const MATCHES = new Set(["", "Exact", "NotOlderThan"]);

export function isWatch(query: URLSearchParams): boolean {
  return boolean(query, "watch") === true;
}

/** Errors: 400 for what is no number or boolean, 422 for combinations that mean nothing. */
export function readOptions(query: URLSearchParams, watch: boolean): ReadOptions {
  const options: ReadOptions = {
    resourceVersion: query.get("resourceVersion") ?? "",
    match: (query.get("resourceVersionMatch") ?? "") as ReadOptions["match"],
    limit: integer(query, "limit") ?? 0,
    continue: query.get("continue") ?? "",
    sendInitialEvents: boolean(query, "sendInitialEvents"),
    allowWatchBookmarks: boolean(query, "allowWatchBookmarks") ?? false,
    timeoutSeconds: integer(query, "timeoutSeconds"),
  };
  const causes = watch ? watchCauses(options) : listCauses(options);
  if (causes.length > 0) throw invalidOptions("ListOptions", causes);
  return options;
}

function listCauses({ resourceVersion, match, sendInitialEvents, continue: token }: ReadOptions): FieldCause[] {
  if (sendInitialEvents !== undefined) {
    return [forbidden("sendInitialEvents is forbidden for list", "sendInitialEvents")];
  }
  if (match === "") return [];
  const causes: FieldCause[] = [];
  const field = "resourceVersionMatch";
  if (resourceVersion === "") causes.push(forbidden(`${field} is forbidden unless resourceVersion is provided`, field));
  if (token !== "") causes.push(forbidden(`${field} is forbidden when continue is provided`, field));
  if (!MATCHES.has(match)) causes.push(unsupported(match, '"Exact", "NotOlderThan", ""'));
  if (match === "Exact" && resourceVersion === "0") {
    causes.push(forbidden(`${field} "exact" is forbidden for resourceVersion "0"`, field));
  }
  return causes;
}

function watchCauses({ match, sendInitialEvents }: ReadOptions): FieldCause[] {
  const field = "resourceVersionMatch";
  if (sendInitialEvents === undefined) {
    return match === ""
      ? []
      : [forbidden(`${field} is forbidden for watch unless sendInitialEvents is provided`, field)];
  }
  if (match === "NotOlderThan") return [];
  const causes = [forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan", field)];
  return match === "" ? causes : [...causes, unsupported(match, '"NotOlderThan"')];
}

function forbidden(message: string, field: string): FieldCause {
  return { reason: "FieldValueForbidden", message: `Forbidden: ${message}`, field };
}

function unsupported(value: string, supported: string): FieldCause {
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
  return { reason: "FieldValueNotSupported", message, field: "resourceVersionMatch" };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (/^[+-]?[0-9]+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** Go's conversion of query parameters: everything but these words is true. */
function boolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text !== "false" && text !== "0";
}

/** A watch or get whose version is no number; the real server calls that its own error. */
export function unreadableVersion(version: string): StatusError {
  return new StatusError(500, "", syntaxError(version));
}

/** A list whose version is no number. */
export function badVersion(version: string): StatusError {
  return badRequest(`invalid resource version: ${syntaxError(version)}`);
}

function syntaxError(version: string): string {
  const text = JSON.stringify(version);
  return `resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: invalid syntax`;
}
