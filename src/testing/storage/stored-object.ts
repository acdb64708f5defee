import type { ObjectMeta } from "../../resources/index.ts";
import type { Kind } from "./kind.ts";

/** An object as it is stored: JSON without `apiVersion` and `kind`, which its Kind knows. Never changed once stored. */
export interface StoredObject {
  readonly metadata: StoredMeta;
  readonly [field: string]: unknown;
}

export interface StoredMeta extends ObjectMeta {
  managedFields?: object[];
}

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** One write. Revisions are dense: every write of any kind takes the next one. */
export interface Change {
  readonly revision: number;
  readonly type: ChangeType;
  readonly kind: Kind;
  readonly key: string;
  /** The new state; of a delete the last one, at the version of the delete. */
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
  /** Wall time of the commit, milliseconds. */
  readonly at: number;
  /** The same on the monotonic scale. */
  readonly monotonicAt: number;
  /** A fault: no watch ever delivers it. */
  lost: boolean;
}
