import { oneLine } from "../base/index.ts";
import { ApiError } from "./errors.ts";

/** The parts of a metav1.Status that an error is made of. */
export interface Status {
  message?: string;
  reason?: string;
  code?: number;
  details?: StatusDetails;
}

export interface StatusDetails {
  causes?: { reason?: string }[];
  retryAfterSeconds?: number;
}

/** What an error says about the call it ends. */
export interface Subject {
  /** As RBAC names it: `list`, `watch`, `get`, `create`... */
  readonly verb: string;
  /** `jobs.v1.batch`, `jobs.v1.batch shop/a`, or a path. */
  readonly name: string;
}

/** Reasons for answers that carry none, by HTTP status. */
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

const LONGEST_MESSAGE = 600;

/** The error for an answer, or an ERROR event, that holds a Status. */
export function statusError(
  status: Status,
  subject: Subject,
  answer: { code?: number; retryAfterMs?: number },
): ApiError {
  const code = status.code ?? answer.code ?? 500;
  const reason = reasonOf(status, code);
  const seconds = status.details?.retryAfterSeconds;
  const retryAfterMs = seconds ? seconds * 1_000 : answer.retryAfterMs;
  const text = oneLine(status.message || reason).slice(0, LONGEST_MESSAGE);
  return new ApiError({
    status: code,
    reason,
    message: `${subject.verb} ${subject.name}: ${text} (${code} ${reason})`,
    remedy: remedyFor(reason, subject),
    resource: subject.name,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function reasonOf(status: Status, code: number): string {
  const tooLarge = status.details?.causes?.some((cause) => cause.reason === "ResourceVersionTooLarge");
  if (tooLarge) return "ResourceVersionTooLarge";
  return status.reason || (REASONS[code] ?? "Unknown");
}

function remedyFor(reason: string, { verb, name }: Subject): string {
  switch (reason) {
    case "Forbidden":
      return `allow "${verb}" on it with RBAC`;
    case "Unauthorized":
      return "renew the token or client certificate of this user";
    case "NotFound":
      return verb === "list" || verb === "watch" ? `check that the server serves ${name}` : "";
    case "Conflict":
      return verb === "update" ? "read it again and repeat the change" : "";
    case "Expired":
    case "Gone":
      return verb === "list" || verb === "watch" ? "list again from the start" : "";
    default:
      return "";
  }
}
