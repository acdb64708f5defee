/** An object as it stands in a file, parsed and not yet looked at. */
export interface RawObject {
  readonly json: unknown;
  /** Where it begins, from 1. */
  readonly line: number;
  /** What stood before it in the List that it is an item of. */
  readonly list?: unknown;
}

/** Something of a file that could not be read. What stands around it is read all the same, as far as it can be. */
export interface Flaw {
  readonly line: number;
  /** A sentence without its subject's name and without a full stop. */
  readonly flaw: string;
}

/** The API server takes no object above 3 MiB: whatever is this large, in characters, is none. */
export const LARGEST_OBJECT: number = 16 << 20;
