import { invalidOptions } from "../status-error.ts";
import type { DeleteWish } from "../storage/object-deleter.ts";
import { deleteOptionsShape } from "../wire/wire-shapes.ts";
import { readBody } from "./body.ts";
import type { ServerRequest } from "./exchange.ts";
import type { ApiPath } from "./path.ts";

const POLICIES = new Set(["Background", "Foreground", "Orphan"]);

/** The options of a delete: a DeleteOptions body, or each by itself in the query. Errors: 400, 422. */
export function deleteWish(request: ServerRequest, { query }: ApiPath): DeleteWish {
  const body = withoutNulls(readBody(request, deleteOptionsShape, (problem) => `invalid DeleteOptions: ${problem}`));
  const { dryRun, gracePeriodSeconds = query.get("gracePeriodSeconds") ?? undefined, preconditions } = body;
  const propagationPolicy = policyOf(body, query);
  return {
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(preconditions !== undefined && { preconditions: preconditions as object }),
    dryRun: isDryRun(query) || (Array.isArray(dryRun) && dryRun.includes("All")),
  };
}

function withoutNulls(body: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== null));
}

export function isDryRun(query: URLSearchParams): boolean {
  return query.get("dryRun") === "All";
}

/** `orphanDependents` is how it was said before there were policies. */
function policyOf(body: Record<string, unknown>, query: URLSearchParams): DeleteWish["propagationPolicy"] {
  const { propagationPolicy: policy = query.get("propagationPolicy") ?? undefined, orphanDependents } = body;
  if (policy === undefined) {
    if (typeof orphanDependents !== "boolean") return undefined;
    return orphanDependents ? "Orphan" : "Background";
  }
  if (typeof policy === "string" && POLICIES.has(policy)) return policy as "Background";
  const supported = 'supported values: "Foreground", "Background", "Orphan", "nil"';
  const message = `Unsupported value: ${JSON.stringify(policy)}: ${supported}`;
  throw invalidOptions("DeleteOptions", [{ reason: "FieldValueNotSupported", message, field: "propagationPolicy" }]);
}
