import type { FieldCause, Kind } from "./storage/kind.ts";

/** The Status object as it goes over the wire (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/). */
export interface ApiStatus {
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: readonly { reason: string; message: string; field?: string }[];
  retryAfterSeconds?: number;
}

/** A refusal that a client sees: an HTTP status and a Status object with the words of the real server. */
export class StatusError extends Error {
  override readonly name: string = "StatusError";
  readonly status: ApiStatus;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, listContinue?: string) {
    super(message);
    this.status = {
      metadata: listContinue === undefined ? {} : { continue: listContinue },
      status: "Failure",
      message,
      ...(reason !== "" && { reason }),
      ...(details && { details }),
      code,
    };
  }

  get code(): number {
    return this.status.code ?? 500;
  }
}

/** `Job.batch`, as validation errors name a kind. */
function qualifiedKind(kind: Kind): string {
  return kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
}

const group = (kind: Kind): { group?: string } => (kind.group === "" ? {} : { group: kind.group });

export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

export function notFound(kind: Kind, name: string): StatusError {
  return new StatusError(404, "NotFound", `${kind.id} "${name}" not found`, {
    name,
    ...group(kind),
    kind: kind.resource,
  });
}

export function noSuchResource(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return new StatusError(405, "MethodNotAllowed", message, {});
}

export function alreadyExists(kind: Kind, name: string): StatusError {
  const details = { name, ...group(kind), kind: kind.resource };
  return new StatusError(409, "AlreadyExists", `${kind.id} "${name}" already exists`, details);
}

export function conflict(kind: Kind, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${kind.id} "${name}": ${why}`;
  return new StatusError(409, "Conflict", message, { name, ...group(kind), kind: kind.resource });
}

export function preconditionFailed(kind: Kind, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedKind(kind)} "${name}": ${why}`;
  return new StatusError(409, "Conflict", message, { name, ...group(kind), kind: kind.kind });
}

export function invalid(kind: Kind, name: string, causes: readonly FieldCause[]): StatusError {
  const details = { ...(name !== "" && { name }), ...group(kind), kind: kind.kind, causes };
  return new StatusError(422, "Invalid", `${qualifiedKind(kind)} "${name}" is invalid: ${joined(causes)}`, details);
}

/** Refused options of a list, watch, delete or patch. */
export function invalidOptions(kind: string, causes: readonly FieldCause[]): StatusError {
  const message = `${kind}.meta.k8s.io "" is invalid: ${joined(causes)}`;
  return new StatusError(422, "Invalid", message, { group: "meta.k8s.io", kind, causes });
}

function joined(causes: readonly FieldCause[]): string {
  const lines = causes.map((cause) => `${cause.field}: ${cause.message}`);
  return lines.length === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`;
}

export function expired(message: string, listContinue?: string): StatusError {
  return new StatusError(410, "Expired", message, undefined, listContinue);
}

export function tooLargeVersion(asked: string, current: string): StatusError {
  return new StatusError(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

export function unsupportedMediaType(message: string): StatusError {
  return new StatusError(415, "UnsupportedMediaType", message);
}
