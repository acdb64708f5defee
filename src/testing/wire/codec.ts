import type { ApiStatus } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { ChangeType, StoredObject } from "../storage/stored-object.ts";

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Writes what the server answers in one media type and one form (whole objects, or their metadata, or tables of them). */
export interface Codec {
  readonly contentType: string;
  /** Of a watch. */
  readonly streamContentType: string;
  object(kind: Kind, object: StoredObject): Uint8Array;
  /** In pieces, so that no list holds the event loop for long; an empty piece is only a chance to breathe. */
  list(kind: Kind, meta: ListMeta, items: readonly StoredObject[]): Iterable<Uint8Array>;
  event(kind: Kind, type: ChangeType, object: StoredObject): Uint8Array;
  bookmark(kind: Kind, resourceVersion: string, initialEventsEnd: boolean): Uint8Array;
  errorEvent(status: ApiStatus): Uint8Array;
  status(status: ApiStatus): Uint8Array;
}

/** The annotation on the bookmark that closes a WatchList (KEP-3157). */
export const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** Items that are written between two breaths of the event loop; well below 50 ms of work. */
export const ITEMS_A_PIECE = 200;
