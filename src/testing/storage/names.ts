import type { Random } from "../../base/index.ts";
import type { FieldCause } from "./kind.ts";
import type { StoredMeta } from "./stored-object.ts";

/** The letters of generated names: no vowels, so that no words come out (k8s.io/apimachinery util/rand). */
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const NAME = new RegExp(`^${SUBDOMAIN}$`);

export function randomSuffix(random: Random): string {
  let suffix = "";
  for (let index = 0; index < 5; index += 1) suffix += SUFFIX_LETTERS[Math.floor(random() * SUFFIX_LETTERS.length)];
  return suffix;
}

/** A version 4 UUID. */
export function randomUid(random: Random): string {
  const word = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const [a, b, c, d] = [word(), word(), word(), word()];
  const variant = "89ab"[Number.parseInt(c[0] ?? "0", 16) % 4];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

export function checkName(metadata: StoredMeta): FieldCause[] {
  const field = "metadata.name";
  if (!metadata.name) {
    return [{ reason: "FieldValueRequired", message: "Required value: name or generateName is required", field }];
  }
  if (metadata.name.length <= 253 && NAME.test(metadata.name)) return [];
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
    `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
  return [{ reason: "FieldValueInvalid", message: `Invalid value: ${JSON.stringify(metadata.name)}: ${rule}`, field }];
}
