import type { Clock, Timer } from "../../base/index.ts";
import { connectionReset } from "../transport/connection-errors.ts";
import type { Selection } from "../api/selection.ts";
import type { KindFaults } from "../faults/kind-faults.ts";
import type { Replica } from "./replica.ts";
import type { ApiStatus } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { Store } from "../storage/store.ts";
import type { Change, ChangeType, StoredObject } from "../storage/stored-object.ts";
import { ByteStream } from "../wire/byte-stream.ts";
import type { Codec } from "../wire/codec.ts";

/** "About once a minute" (k8s.io/apiserver storage/cacher, defaultBookmarkFrequency). */
const BOOKMARK_EVERY_MS = 60_000;
/** The last bookmark comes this long before the end of the stream. */
const LAST_BOOKMARK_BEFORE_END_MS = 2_000;

export interface WatchSetup {
  readonly kind: Kind;
  readonly codec: Codec;
  readonly selection: Selection;
  readonly replica: Replica;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

interface WatchServices {
  readonly clock: Clock;
  readonly store: Store;
  readonly faults: KindFaults;
  /** Called once when the stream is over, whoever ended it. */
  readonly onClose: (stream: WatchStream) => void;
}

/** Bytes on their way: visible to the replica at `at` plus its lag, delivered a kind's delay later, always in order. */
interface Parcel {
  readonly at: number;
  readonly bytes: Uint8Array | undefined;
}

/** One watch: turns changes into frames and delivers them when replica, faults and reader let it. */
export class WatchStream {
  readonly kind: Kind;
  readonly body: ByteStream;
  readonly #setup: WatchSetup;
  readonly #services: WatchServices;
  readonly #openedAt: number;
  readonly #timers: Set<Timer> = new Set();
  #parcels: Parcel[] = [];
  #flushTimer: Timer | undefined;
  /** Bookmarks below or at this would be no news. */
  #startedAt = 0;
  #silent = false;
  #cutNextFrame = false;
  #closed = false;

  constructor(setup: WatchSetup, services: WatchServices) {
    this.kind = setup.kind;
    this.#setup = setup;
    this.#services = services;
    this.#openedAt = services.clock.monotonic();
    this.body = new ByteStream(() => this.#close());
  }

  /** Sends the changes after `revision` that are in the log already, and from now on every one that is offered. */
  replayFrom(revision: number): void {
    this.#startedAt = revision;
    for (const change of this.#services.store.changesSince(revision)) if (change.kind === this.kind) this.offer(change);
    this.#schedule();
  }

  /** Sends objects as ADDED, then what changed after `revision`; with `endMark`, a bookmark at it between the two (WatchList). */
  replayState(objects: readonly StoredObject[], revision: number, endMark: number | undefined): void {
    const at = this.#openedAt - this.#setup.replica.lagMs;
    for (const object of objects) {
      if (this.#setup.selection.matches(object)) this.#send(at, this.#frame("ADDED", object));
    }
    if (endMark !== undefined) {
      const { codec } = this.#setup;
      this.#send(at, codec.bookmark(this.kind, this.#services.store.scale.text(endMark), true));
    }
    this.replayFrom(revision);
  }

  offer(change: Change): void {
    if (change.lost || change.revision <= this.#startedAt) return;
    const type = this.#typeFor(change);
    if (!type) return;
    // Who leaves a selection is shown as it is now, gone from here.
    this.#send(change.monotonicAt, this.#frame(type, change.object));
  }

  /** Ends it with an ERROR event. */
  refuse(status: ApiStatus): void {
    const at = this.#services.clock.monotonic() - this.#setup.replica.lagMs;
    this.#send(at, this.#setup.codec.errorEvent(status));
    this.#send(at, undefined);
  }

  /** Ends it cleanly, after what is on its way. */
  end(): void {
    this.#send(this.#services.clock.monotonic() - this.#setup.replica.lagMs, undefined);
  }

  /** From now on nothing comes, not even the end. */
  fallSilent(): void {
    this.#silent = true;
    this.#parcels = [];
  }

  /** The next frame is cut in two, and the connection breaks between the halves. */
  cutNextFrame(): void {
    this.#cutNextFrame = true;
  }

  breakOff(): void {
    this.#parcels = [];
    this.body.fail(connectionReset());
    this.#close();
  }

  /** Delivers what is due; called again whenever a delay may have changed. */
  flush(): void {
    this.#flushTimer?.cancel();
    this.#flushTimer = undefined;
    const now = this.#services.clock.monotonic();
    for (let next = this.#parcels[0]; next; next = this.#parcels[0]) {
      const due = this.#dueTime(next);
      if (due > now) {
        this.#flushTimer = this.#services.clock.setTimer(() => this.flush(), due - now);
        return;
      }
      this.#parcels.shift();
      this.#deliver(next.bytes);
    }
  }

  #dueTime({ at }: Parcel): number {
    return Math.max(at + this.#setup.replica.lagMs, this.#openedAt) + this.#services.faults.delayMs(this.kind);
  }

  #deliver(bytes: Uint8Array | undefined): void {
    if (!bytes) {
      this.body.end();
      this.#close();
    } else if (this.#cutNextFrame) {
      this.body.push(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      this.breakOff();
    } else this.body.push(bytes);
  }

  #send(at: number, bytes: Uint8Array | undefined): void {
    if (this.#silent) return;
    this.#parcels.push({ at, bytes });
    if (this.#parcels.length === 1) this.flush();
  }

  #frame(type: ChangeType, object: StoredObject): Uint8Array {
    return this.#setup.codec.event(this.kind, type, object);
  }

  /** An object that enters the selection is new to this watch, one that leaves it is gone. */
  #typeFor({ type, object, previous }: Change): ChangeType | undefined {
    const { selection } = this.#setup;
    const isIn = type !== "DELETED" && selection.matches(object);
    const wasIn = previous !== undefined && selection.matches(previous);
    if (isIn) return wasIn ? "MODIFIED" : "ADDED";
    return wasIn ? "DELETED" : undefined;
  }

  #schedule(): void {
    const { bookmarks, timeoutMs } = this.#setup;
    this.#after(timeoutMs, () => this.end());
    if (!bookmarks || !this.kind.cached) return;
    const lastAt = timeoutMs - LAST_BOOKMARK_BEFORE_END_MS;
    if (lastAt > 0) this.#after(lastAt, () => this.#bookmark());
    const again = (): void => {
      this.#bookmark();
      this.#after(BOOKMARK_EVERY_MS, again);
    };
    this.#after(BOOKMARK_EVERY_MS, again);
  }

  #bookmark(): void {
    const { replica, codec } = this.#setup;
    const { faults, store, clock } = this.#services;
    if (faults.withholdsBookmarks(this.kind)) return;
    const revision = replica.knownRevision(this.kind);
    if (revision <= this.#startedAt) return;
    this.#send(clock.monotonic() - replica.lagMs, codec.bookmark(this.kind, store.scale.text(revision), false));
  }

  /** Nothing after the end: what runs may be what ends it. */
  #after(delayMs: number, run: () => void): void {
    if (this.#closed) return;
    const timer = this.#services.clock.setTimer(
      () => {
        this.#timers.delete(timer);
        run();
      },
      delayMs,
      { unref: true },
    );
    this.#timers.add(timer);
  }

  #close(): void {
    this.#closed = true;
    this.#flushTimer?.cancel();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#silent = true;
    this.#services.onClose(this);
  }
}
