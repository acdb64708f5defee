import { StatusError } from "../status-error.ts";

/** What somebody wants to do, in the words of a SubjectAccessReview. */
export interface Attempt {
  readonly verb: string;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly nonResourcePath?: string | undefined;
  readonly user: string;
}

/** A refusal: every field that is given must fit. */
export type Denial = Partial<Attempt>;

/** Who may do what: everything, except what was forbidden. */
export class AccessRules {
  readonly #denials: Set<Denial> = new Set();

  /** Returns how to allow it again. */
  forbid(denial: Denial): () => void {
    this.#denials.add(denial);
    return () => this.#denials.delete(denial);
  }

  allows(attempt: Attempt): boolean {
    for (const denial of this.#denials) if (fits(denial, attempt)) return false;
    return true;
  }

  /** Errors: 403 in the words of the RBAC authorizer. */
  check(attempt: Attempt): void {
    if (!this.allows(attempt)) throw forbidden(attempt);
  }
}

function fits(denial: Denial, attempt: Attempt): boolean {
  return Object.entries(denial).every(
    ([field, value]) => value === undefined || value === "*" || attempt[field as keyof Attempt] === value,
  );
}

function forbidden(attempt: Attempt): StatusError {
  const { user, verb, group, resource, namespace, name, subresource, nonResourcePath } = attempt;
  if (resource === undefined) {
    const message = `forbidden: User "${user}" cannot ${verb} path "${nonResourcePath ?? "/"}"`;
    return new StatusError(403, "Forbidden", message, {});
  }
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : "at the cluster scope";
  const message =
    `${resource}${group ? `.${group}` : ""}${name ? ` "${name}"` : ""} is forbidden: User "${user}" cannot ${verb} resource "${what}" ` +
    `in API group "${group ?? ""}" ${where}`;
  const details = { ...(name && { name }), ...(group && { group }), kind: resource };
  return new StatusError(403, "Forbidden", message, details);
}
