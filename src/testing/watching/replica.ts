import { type Clock, sleep } from "../../base/index.ts";
import type { Kind } from "../storage/kind.ts";
import type { Store } from "../storage/store.ts";

/** How long a read waits for a replica to catch up (k8s.io/apiserver storage/cacher, blockTimeout). */
const READ_WAIT_MS = 3_000;
const POLL_MS = 100;

/**
 * One API server: a watch cache that sees each write `lagMs` after its commit. Reads that accept the cache, and all watches, are
 * as late as it is; consistent reads wait for it.
 */
export class Replica {
  /** Changeable while running. */
  lagMs = 0;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #progressNotifyMs: number;
  readonly #confirmed: Map<string, number> = new Map();

  constructor(store: Store, clock: Clock, progressNotifyMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#progressNotifyMs = progressNotifyMs;
    // After a rollback nothing that was confirmed is true any more.
    store.onRollback(() => this.#confirmed.clear());
  }

  /** The newest revision that it has seen. */
  get horizon(): number {
    return this.lagMs === 0 ? this.#store.revision : this.#store.revisionAt(this.#clock.monotonic() - this.lagMs);
  }

  /** Notes that a consistent read of the kind was answered at `revision`: its cache now knows that it is current up to there. */
  confirm(kind: Kind, revision: number): void {
    this.#confirmed.set(kind.id, Math.max(revision, this.#confirmed.get(kind.id) ?? 0));
  }

  /**
   * The revision up to which the cache of one kind knows itself to be complete: its last event, the last consistent read, or the
   * last progress notice of the store, whichever is newest. An idle kind trails the store by up to one notice.
   */
  knownRevision(kind: Kind): number {
    const seen = this.#clock.monotonic() - this.lagMs;
    const noticed = this.#store.revisionAt(seen - (seen % this.#progressNotifyMs));
    const known = Math.max(noticed, this.#confirmed.get(kind.id) ?? 0);
    return Math.max(known, this.#store.lastChange(kind, this.horizon));
  }

  /** Waits, as long as a real server does, until it has seen `revision`. Returns whether it has. */
  async catchUp(revision: number): Promise<boolean> {
    const deadline = this.#clock.monotonic() + READ_WAIT_MS;
    while (this.horizon < revision && this.#clock.monotonic() < deadline) await sleep(this.#clock, POLL_MS);
    return this.horizon >= revision;
  }
}
