import { closest, distance } from "fastest-levenshtein";

const SHORTEST_PART = 3;
const MOST_MEANT = 5;

/** The name that was probably meant, or undefined when none is near. */
function nearest(typed: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const found = closest(typed, names);
  const mostEdits = Math.max(2, Math.floor(found.length / 3));
  return distance(typed, found) <= mostEdits ? found : undefined;
}

/** A remedy for a mistyped name. */
export function didYouMean(typed: string, names: readonly string[], otherwise: string): string {
  const near = nearest(typed, names);
  const meant = near === undefined ? containing(typed, names) : [near];
  return meant.length === 0 ? otherwise : `did you mean ${meant.join(" or ")}?`;
}

/** A few names of which only a part was typed; none where it says too little. */
function containing(typed: string, names: readonly string[]): readonly string[] {
  const part = typed.toLowerCase();
  const found = part.length < SHORTEST_PART ? [] : names.filter((name) => name.toLowerCase().includes(part));
  return found.length > MOST_MEANT ? [] : found;
}
