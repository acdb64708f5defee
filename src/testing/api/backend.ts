import type { Clock, Random } from "../../base/index.ts";
import type { RequestFaults } from "../faults/request-faults.ts";
import type { Kind } from "../storage/kind.ts";
import type { KindRegistry } from "../storage/kind-registry.ts";
import type { ObjectDeleter } from "../storage/object-deleter.ts";
import type { ObjectWriter } from "../storage/object-writer.ts";
import type { Store } from "../storage/store.ts";
import type { WatchSetup, WatchStream } from "../watching/watch-stream.ts";
import type { AccessRules } from "./access.ts";
import type { ApiPath } from "./path.ts";

/** What requests are answered from. */
export interface Backend {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly access: AccessRules;
  readonly faults: RequestFaults;
  /** Bearer tokens and whom they stand for. */
  readonly users: ReadonlyMap<string, string>;
  /** Something went on that no timer and no request tells of. */
  noteActivity(): void;
  openWatch(setup: WatchSetup): WatchStream;
}

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A request whose resource was found. */
export interface Target {
  readonly kind: Kind;
  readonly path: ApiPath;
  readonly verb: Verb;
}
