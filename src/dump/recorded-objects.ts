import type { Snapshot } from "../jobs/index.ts";
import { isRecord, type Json, JsonObjects } from "../kube/index.ts";
import type { DeepReadonly, KubeObject, Resource } from "../resources/index.ts";
import { DumpKinds, itemTypeOf } from "./dump-kinds.ts";
import type { RecordedLine } from "./recording.ts";

/** An object as it is now or, where it is gone or another, as it was. */
export type Change = readonly [Resource, DeepReadonly<KubeObject>];

/** Applies the lines of a recording to a snapshot, as a cache would apply the lists and events that they were made from. */
export class RecordedObjects {
  readonly #snapshot: Snapshot;
  readonly #kinds: DumpKinds;
  readonly #objects: JsonObjects = new JsonObjects();

  /** Objects of other kinds are passed over. */
  constructor(snapshot: Snapshot, kinds: readonly Resource[]) {
    this.#snapshot = snapshot;
    this.#kinds = new DumpKinds(kinds);
  }

  /** What has changed. Errors: says in a few words what of the line cannot be used. */
  apply(line: RecordedLine): readonly Change[] {
    switch (line.type) {
      case "LISTED":
        return this.#list(line);
      case "ADDED":
      case "MODIFIED":
        return this.#set(this.#read(line.object), line.isUnreadable);
      case "DELETED":
        return this.#delete(this.#read(line.object));
      case "WATCH_ENDED":
        // The server does not have the kind, so there is none of it.
        if (line.reason === "NotFound") this.#declare(line.apiVersion, line.kind);
        return [];
      default:
        return [];
    }
  }

  #declare(apiVersion: string, kind: string): void {
    const known = this.#kinds.find(apiVersion, kind);
    if (known) this.#snapshot.declare(known.resource);
  }

  /** What is there of the kind and not in the list is gone, as far as everything in the list has a name. */
  #list({ object: list, namespace, unreadable }: RecordedLine & { type: "LISTED" }): readonly Change[] {
    const itemType = itemTypeOf(list);
    const items = Array.isArray(list["items"]) ? (list["items"] as unknown[]) : [];
    const read = items.map((item) => this.#read({ ...itemType, ...(isRecord(item) ? item : {}) }));
    const listed = new Map<Resource, Set<string>>();
    const whole = itemType && this.#kinds.find(itemType.apiVersion, itemType.kind)?.resource;
    if (whole) listed.set(whole, new Set());
    const named = unreadable.flatMap((object) => (object ? [this.#read({ ...itemType, ...object })] : []));
    for (const change of [...read, ...named]) {
      if (!change) continue;
      const uids = listed.get(change[0]) ?? new Set();
      listed.set(change[0], uids.add(change[1].metadata.uid));
    }
    const missing = [...listed].flatMap(([resource, uids]) => this.#missing(resource, uids, namespace));
    const gone = named.length === unreadable.length ? missing : [];
    return [
      ...gone.flatMap((change) => this.#delete(change)),
      ...read.flatMap((change) => this.#set(change, false)),
      ...named.flatMap((change) => this.#set(change, true)),
    ];
  }

  #missing(resource: Resource, uids: ReadonlySet<string>, namespace: string | undefined): readonly Change[] {
    this.#snapshot.declare(resource);
    return [...this.#snapshot.list(resource)].flatMap((object): Change[] => {
      const { metadata } = object;
      const isListed = namespace === undefined || metadata.namespace === namespace;
      return isListed && !uids.has(metadata.uid) ? [[resource, object]] : [];
    });
  }

  #set(change: Change | undefined, isUnreadable: boolean): readonly Change[] {
    if (!change) return [];
    const [resource, object] = change;
    const before = this.#snapshot.find(resource, object.metadata);
    this.#snapshot.set(resource, object, isUnreadable);
    return before ? [[resource, before], change] : [change];
  }

  #delete(change: Change | undefined): readonly Change[] {
    if (!change) return [];
    this.#snapshot.delete(change[0], change[1].metadata);
    return [change];
  }

  /** Undefined: of a kind that nobody looks at. */
  #read(json: Json): Change | undefined {
    const { apiVersion, kind } = json;
    if (typeof apiVersion !== "string" || typeof kind !== "string") {
      throw new Error("an object has no apiVersion or no kind");
    }
    const resource = this.#kinds.find(apiVersion, kind)?.resource;
    if (!resource) return undefined;
    const read = this.#objects.read(resource, json);
    if ("why" in read) throw new Error(`a ${resource.kind} cannot be read: ${read.why}`);
    return [resource, read.object];
  }
}
