import { messageOf } from "../base/index.ts";
import {
  ApiError,
  isExpired,
  isForbidden,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  isVersionTooLarge,
} from "../kube/index.ts";
import type { Resource } from "../resources/index.ts";
import { isSilent } from "./listing.ts";
import type { FailureReason } from "./metrics.ts";

/** The closed set of reasons under which failures are counted. What is no `ApiError` is a defect of this program. */
export function reasonOf(thrown: unknown): FailureReason {
  if (!(thrown instanceof ApiError)) return "internal";
  const known = REASONS.find(([is]) => is(thrown));
  if (known) return known[1];
  if (thrown.status === 0) return thrown.reason === "UnreadableAnswer" ? "unreadable" : "unreachable";
  return thrown.status >= 500 ? "server_error" : "rejected";
}

const REASONS: readonly [(thrown: unknown) => boolean, FailureReason][] = [
  [isExpired, "expired"],
  [isTooManyRequests, "throttled"],
  [isVersionTooLarge, "version_too_large"],
  [isForbidden, "forbidden"],
  [isUnauthorized, "unauthorized"],
  [isNotFound, "not_found"],
  [isSilent, "silent"],
];

/** One line: what failed and what to do about it. */
export function describeFailure(thrown: unknown, resource: Resource): string {
  const message = messageOf(thrown);
  if (!isForbidden(thrown)) return message;
  const rule = `apiGroups: ["${resource.group}"], resources: ["${resource.resource}"], verbs: ["list", "watch"]`;
  return `${message}; the rule to add is ${rule}`;
}
