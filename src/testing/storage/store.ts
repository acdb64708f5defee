import type { Clock } from "../../base/index.ts";
import type { Kind } from "./kind.ts";
import type { Change, StoredObject } from "./stored-object.ts";
import { Table } from "./table.ts";
import { VersionScale } from "./version-scale.ts";

export interface StoreOptions {
  clock: Clock;
  /** How many changes are kept to watch from, to read old versions and to roll back to. */
  historySize: number;
  /** The version before the first write. */
  baseVersion: bigint;
}

/**
 * Everything stored, and the log of how it came about; the only place where versions are given out. One revision counter for all
 * kinds, as in etcd. Does not validate: that is `ObjectWriter`.
 */
export class Store {
  readonly scale: VersionScale;
  readonly #clock: Clock;
  readonly #historySize: number;
  readonly #tables: Map<string, Table> = new Map();
  readonly #listeners: Set<(change: Change) => void> = new Set();
  readonly #rollbackListeners: Set<() => void> = new Set();
  /** `#log[0]` is the change of revision `#compacted` + 1. */
  #log: Change[] = [];
  #compacted = 0;

  constructor(options: StoreOptions) {
    this.#clock = options.clock;
    this.#historySize = options.historySize;
    this.scale = new VersionScale(options.baseVersion);
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#compacted + this.#log.length;
  }

  /** Changes up to here are forgotten: no watch can start below it, nothing can be read as it was before it. */
  get compacted(): number {
    return this.#compacted;
  }

  table(kind: Kind): Table {
    let table = this.#tables.get(kind.id);
    if (!table) this.#tables.set(kind.id, (table = new Table()));
    return table;
  }

  /** Puts `object` in place under the next version, which is written into its metadata. */
  put(kind: Kind, key: string, object: StoredObject): StoredObject {
    const previous = this.table(kind).get(key);
    object.metadata.resourceVersion = this.scale.text(this.revision + 1);
    this.#commit({ type: previous ? "MODIFIED" : "ADDED", kind, key, object, previous });
    return object;
  }

  /** Removes the object; returns its last state at the version of the delete. */
  remove(kind: Kind, key: string, last: StoredObject): StoredObject {
    const metadata = { ...last.metadata, resourceVersion: this.scale.text(this.revision + 1) };
    const object = { ...last, metadata };
    this.#commit({ type: "DELETED", kind, key, object, previous: this.table(kind).get(key) });
    return object;
  }

  /** The changes with a revision above `after`, oldest first. Nothing below the compacted revision is left. */
  *changesSince(after: number): Iterable<Change> {
    for (let index = Math.max(after - this.#compacted, 0); index < this.#log.length; index += 1) {
      yield this.#log[index] as Change;
    }
  }

  /** The objects of a kind as they were at `revision`, in the order of their keys. */
  read(kind: Kind, revision: number): readonly StoredObject[] {
    const table = this.table(kind);
    const undone = this.#undo(kind, revision);
    return undone.size === 0 ? table.sorted() : table.sortedWith(undone);
  }

  get(kind: Kind, key: string, revision: number): StoredObject | undefined {
    const undone = revision < this.revision ? this.#undo(kind, revision) : undefined;
    return undone?.has(key) ? undone.get(key) : this.table(kind).get(key);
  }

  /** The revision that was the newest one at a monotonic time. */
  revisionAt(monotonicMs: number): number {
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle] as Change).monotonicAt <= monotonicMs) low = middle + 1;
      else high = middle;
    }
    return this.#compacted + low;
  }

  /** The revision of the kind's last change at or below `upTo`; 0 when none is known. */
  lastChange(kind: Kind, upTo: number): number {
    for (let index = Math.min(upTo, this.revision) - this.#compacted - 1; index >= 0; index -= 1) {
      if (this.#log[index]?.kind === kind) return this.#compacted + index + 1;
    }
    return 0;
  }

  /** Forgets the changes up to `revision`. */
  compact(revision: number): void {
    const count = Math.min(revision, this.revision) - this.#compacted;
    if (count <= 0) return;
    this.#log.splice(0, count);
    this.#compacted += count;
  }

  /** Puts everything back as it was at `revision`, as a restored backup does: later versions will be given out a second time. */
  rollback(revision: number): void {
    while (this.#log.length > 0 && this.revision > revision) {
      const change = this.#log.pop() as Change;
      this.table(change.kind).set(change.key, change.previous);
    }
    for (const listener of this.#rollbackListeners) listener();
  }

  /** Runs `listener` after each rollback: whatever was concluded from changes must be concluded anew. */
  onRollback(listener: () => void): void {
    this.#rollbackListeners.add(listener);
  }

  /** Runs `listener` inside each write, before the writer has its answer. Returns how to stop it. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #commit(write: Omit<Change, "revision" | "at" | "monotonicAt" | "lost">): void {
    const at = this.#clock.now();
    const monotonicAt = this.#clock.monotonic();
    const change: Change = { ...write, revision: this.revision + 1, at, monotonicAt, lost: false };
    this.#log.push(change);
    this.table(write.kind).set(write.key, write.type === "DELETED" ? undefined : write.object);
    if (this.#log.length > this.#historySize * 1.25) this.compact(this.revision - this.#historySize);
    for (const listener of this.#listeners) listener(change);
  }

  /** What each key that changed after `revision` held then. */
  #undo(kind: Kind, revision: number): Map<string, StoredObject | undefined> {
    const undone = new Map<string, StoredObject | undefined>();
    for (let index = this.#log.length - 1; index >= Math.max(revision - this.#compacted, 0); index -= 1) {
      const change = this.#log[index] as Change;
      if (change.kind === kind) undone.set(change.key, change.previous);
    }
    return undone;
  }
}
