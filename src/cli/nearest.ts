import { closest, distance } from "fastest-levenshtein";

/** The name that was probably meant, or undefined when none is near. */
function nearest(typed: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const found = closest(typed, names);
  const mostEdits = Math.max(2, Math.floor(found.length / 3));
  return distance(typed, found) <= mostEdits ? found : undefined;
}

/** A remedy for a mistyped name. */
export function didYouMean(typed: string, names: readonly string[], otherwise: string): string {
  const found = nearest(typed, names);
  return found === undefined ? otherwise : `did you mean ${found}?`;
}
