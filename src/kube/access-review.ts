import { unreadable } from "./answers.ts";
import { isRecord } from "./json-reader.ts";
import type { Subject } from "./status.ts";

/** What somebody would do, as RBAC names it. */
export type Access =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly verb: string; readonly nonResourcePath: string };

export const REVIEW_PATH: string = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

export function accessReview(access: Access): object {
  const spec =
    "nonResourcePath" in access
      ? { nonResourceAttributes: { verb: access.verb, path: access.nonResourcePath } }
      : { resourceAttributes: access };
  return { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec };
}

export function reviewVerdict(answer: unknown, subject: Subject): { allowed: boolean; reason?: string } {
  const status = isRecord(answer) ? answer["status"] : undefined;
  if (!isRecord(status)) throw unreadable(subject, "the answer has no status");
  const { allowed, reason } = status;
  return { allowed: allowed === true, ...(typeof reason === "string" && reason !== "" ? { reason } : {}) };
}
