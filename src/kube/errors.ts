import { StalewatchError } from "../base/index.ts";

export interface ApiErrorOptions {
  /** HTTP status, 0 when no answer came. */
  status: number;
  /** The Status object's reason (`NotFound`, `AlreadyExists`, `Conflict`, `Expired`, ...), or one of ours for failures without one. */
  reason: string;
  message: string;
  remedy?: string;
  /** From Retry-After or Status.details.retryAfterSeconds. */
  retryAfterMs?: number;
  /** `jobs.v1.batch`, with the object's key where one was meant. */
  resource?: string;
  cause?: unknown;
}

/**
 * A call that the API server refused or did not answer. Its message names the resource and never holds headers or a token.
 * `code` is `API_` and the reason in capitals (docs/errors.md).
 */
export class ApiError extends StalewatchError {
  override readonly name: string = "ApiError";
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly resource: string | undefined;

  constructor(options: ApiErrorOptions) {
    super(codeOf(options.reason), options.message, options.remedy, { cause: options.cause });
    this.status = options.status;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
    this.resource = options.resource;
  }
}

function codeOf(reason: string): string {
  return `API_${reason.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}`;
}

const hasReason =
  (status: number, ...reasons: string[]) =>
  (thrown: unknown): thrown is ApiError =>
    thrown instanceof ApiError &&
    (reasons.includes(thrown.reason) || (thrown.reason === "" && thrown.status === status));

export const isNotFound: (thrown: unknown) => thrown is ApiError = hasReason(404, "NotFound");
export const isAlreadyExists: (thrown: unknown) => thrown is ApiError = hasReason(409, "AlreadyExists");
/** The object changed since it was read, or a precondition did not hold. */
export const isConflict: (thrown: unknown) => thrown is ApiError = hasReason(409, "Conflict");
/** The version asked for is no longer in the server's history (410): list again. */
export const isExpired: (thrown: unknown) => thrown is ApiError = hasReason(410, "Expired", "Gone");
export const isForbidden: (thrown: unknown) => thrown is ApiError = hasReason(403, "Forbidden");
export const isUnauthorized: (thrown: unknown) => thrown is ApiError = hasReason(401, "Unauthorized");
export const isInvalid: (thrown: unknown) => thrown is ApiError = hasReason(422, "Invalid");
export const isTooManyRequests: (thrown: unknown) => thrown is ApiError = hasReason(429, "TooManyRequests");
/** The server has not reached the version asked for (504, cause ResourceVersionTooLarge). */
export const isVersionTooLarge: (thrown: unknown) => thrown is ApiError = hasReason(504, "ResourceVersionTooLarge");
/** Worth trying again without a change: no answer, 429, or 5xx. */
export function isTransient(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && (thrown.status === 0 || thrown.status === 429 || thrown.status >= 500);
}
