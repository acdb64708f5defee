import type { WatchEvent } from "../kube/index.ts";
import type { KubeObject } from "../resources/index.ts";
import type { Contents } from "./contents.ts";
import type { Registration } from "./handlers.ts";

/**
 * One change on its way to the store. Everything that changes the store or its version goes through the queue, so nothing overtakes:
 * - the events of the watch as they came (added, updated, deleted, opaque, and the bookmarks),
 * - REPLACED: a list, as one change,
 * - SYNC: the resync of one object; reads the store only,
 * - JOIN: a handler that came late and first gets what is there.
 */
export type Delta<T extends KubeObject> =
  | WatchEvent<T>
  | {
      readonly type: "REPLACED";
      readonly contents: Contents<T>;
      readonly version: string;
      /** The server's history went back: equal versions do not mean equal objects any more. */
      readonly rewind: boolean;
    }
  | { readonly type: "SYNC"; readonly key: string }
  | { readonly type: "JOIN"; readonly registration: Registration<T> };
