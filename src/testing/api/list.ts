import { keyOf } from "../../resources/index.ts";
import type { Replica } from "../watching/replica.ts";
import { badRequest, expired, tooLargeVersion } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { Store } from "../storage/store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ListMeta } from "../wire/codec.ts";
import { badVersion, type ReadOptions } from "./read-options.ts";
import type { Selection } from "./selection.ts";

export interface List {
  readonly meta: ListMeta;
  readonly items: readonly StoredObject[];
}

/** Where a list is read: content and version of the answer, and where in it a page begins. */
interface Position {
  /** The state that is read. */
  readonly revision: number;
  /** The version that the list says it has; the same unless a cache knows of progress without events. */
  readonly version: number;
  /** Items up to and including this key were on earlier pages. */
  readonly after: string | undefined;
  readonly limit: number;
}

interface ListRequest {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly selection: Selection;
  readonly options: ReadOptions;
}

/** Answers a list by the rules of https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions. */
export async function list(store: Store, replica: Replica, request: ListRequest): Promise<List> {
  const { kind, namespace, selection, options } = request;
  const position = await positionOf(store, replica, kind, options);
  const all = store.read(kind, position.revision);
  const items: StoredObject[] = [];
  let remaining = 0;
  for (let index = position.after === undefined ? 0 : indexAfter(all, position.after); index < all.length; index += 1) {
    const object = all[index] as StoredObject;
    if (namespace !== undefined && object.metadata.namespace !== namespace) continue;
    if (position.limit > 0 && items.length === position.limit) {
      remaining += 1;
      if (selection.selective) break;
    } else if (selection.matches(object)) items.push(object);
  }
  const resourceVersion = store.scale.text(position.version);
  const last = items.at(-1);
  if (remaining === 0 || !last) return { items, meta: { resourceVersion } };
  const more = { continue: encodeToken(resourceVersion, keyOf(last.metadata)) };
  // How many are left is only known where nothing is filtered.
  return { items, meta: { resourceVersion, ...more, ...(!selection.selective && { remainingItemCount: remaining }) } };
}

async function positionOf(store: Store, replica: Replica, kind: Kind, options: ReadOptions): Promise<Position> {
  const { limit, resourceVersion: asked, match } = options;
  if (options.continue !== "") return continued(store, options);
  if (asked === "") {
    const revision = await consistentRevision(store, replica, kind);
    return { revision, version: revision, after: undefined, limit };
  }
  const wanted = store.scale.revision(asked);
  if (wanted === undefined) throw badVersion(asked);
  // An old habit of clients: a limit beside a version means exactly that version.
  if (asked !== "0" && (match === "Exact" || (match === "" && limit > 0))) {
    await reach(store, replica, asked, wanted);
    if (wanted < store.compacted) throw expired("The resourceVersion for the provided list is too old.");
    return { revision: wanted, version: wanted, after: undefined, limit };
  }
  if (asked !== "0") await reach(store, replica, asked, wanted);
  const version = Math.max(replica.knownRevision(kind), asked === "0" ? 0 : wanted);
  // A list from the cache is never paged.
  return { revision: replica.horizon, version, after: undefined, limit: asked === "0" && kind.cached ? 0 : limit };
}

/** Waits until the replica has seen everything that is committed now; a replica too late for that reads the store itself. */
export async function consistentRevision(store: Store, replica: Replica, kind: Kind): Promise<number> {
  const revision = store.revision;
  if (await replica.catchUp(revision)) replica.confirm(kind, revision);
  // What was compacted during the wait can no longer be read; anything newer is as consistent.
  return Math.max(revision, store.compacted);
}

/** Waits for a version that the replica has not seen yet. Errors: 504 with the cause ResourceVersionTooLarge. */
export async function reach(store: Store, replica: Replica, asked: string, wanted: number): Promise<void> {
  if (await replica.catchUp(wanted)) return;
  throw tooLargeVersion(asked, store.scale.text(replica.horizon));
}

const TOKEN_FORMAT = "meta.k8s.io/v1";
/** The version of a token that goes on with whatever is there now. */
const ANY_VERSION = "-1";

function encodeToken(rv: string, start: string): string {
  return Buffer.from(JSON.stringify({ v: TOKEN_FORMAT, rv, start })).toString("base64url");
}

/** Errors: 400 for a token that this server did not make, 410 for one whose version was compacted. */
function continued(store: Store, { continue: token, limit, resourceVersion }: ReadOptions): Position {
  if (resourceVersion !== "" && resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const { rv, start } = decodeToken(token);
  if (rv === ANY_VERSION) return { revision: store.revision, version: store.revision, after: start, limit };
  const revision = store.scale.revision(rv);
  if (revision === undefined) throw badRequest("invalid continue token: incorrect encoded start resourceVersion");
  if (revision < store.compacted || revision > store.revision) {
    throw expired(TOKEN_TOO_OLD, encodeToken(ANY_VERSION, start));
  }
  return { revision, version: revision, after: start, limit };
}

const TOKEN_TOO_OLD =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the " +
  "continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with " +
  "the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the " +
  "first chunk was returned and now may show up in the list.";

function decodeToken(token: string): { rv: string; start: string } {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(token, "base64url").toString()) as Record<string, unknown>;
    if (v === TOKEN_FORMAT && typeof rv === "string" && typeof start === "string") return { rv, start };
  } catch {
    // Answered like any other token that is not ours.
  }
  throw badRequest("invalid continue token: continue key is not valid");
}

/** Binary search for the first object behind `key`; the list is in the order of keys. */
function indexAfter(all: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf((all[middle] as StoredObject).metadata) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
