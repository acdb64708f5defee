declare module "json-merge-patch" {
  /** RFC 7386. Changes `target`. */
  export function apply(target: unknown, patch: unknown): unknown;
}
