import { messageOf } from "../base/index.ts";
import { memberOf, valueAt } from "./json-scan.ts";
import { Undecodable } from "./undecodable.ts";
import type { Span } from "./wire-cursor.ts";

/** JSON.parse holds the event loop for about 50 ms over as much. */
const LARGEST_JSON: number = 8 * 2 ** 20;

/** Errors: `Undecodable`. */
export function parseSpan({ bytes, start, end }: Span): unknown {
  if (end - start > LARGEST_JSON)
    throw new Undecodable(`its JSON of ${end - start} bytes is too large to be parsed at once`);
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch (thrown) {
    throw new Undecodable(`it is not JSON: ${messageOf(thrown)}`);
  }
}

/** An object with nothing but its metadata, or undefined when that cannot be read either. */
export function salvageObject(object: Span | undefined): unknown {
  return { metadata: salvageMember(object, "metadata") };
}

/** One member of a JSON object that is too large or broken as a whole. */
export function salvageMember(object: Span | undefined, name: string): unknown {
  try {
    const member = object && memberOf(object, name);
    return member && parseSpan(valueAt(member, member.start));
  } catch (thrown) {
    if (thrown instanceof Undecodable) return undefined; // What cannot be salvaged is reported as missing.
    throw thrown;
  }
}
