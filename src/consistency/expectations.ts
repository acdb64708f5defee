import type { Clock } from "../base/index.ts";

/** After this long a change that was expected is taken for lost: https://pkg.go.dev/k8s.io/kubernetes/pkg/controller#pkg-constants */
const TIMEOUT_MS = 5 * 60_000;

export interface ExpectationsOptions {
  clock: Clock;
  /** 5 minutes unless given, as in Kubernetes' controllers. */
  timeoutMs?: number;
}

/** What one key waits for. */
class Expected {
  /** When something was last asked for, monotonic milliseconds. */
  since = 0;
  /** Creates that were sent and not answered. */
  unanswered = 0;
  /** Created, and not yet in the cache. */
  readonly creations: Set<string> = new Set();
  /** In the cache, while creates are unanswered: the answer may be about these. */
  readonly early: Set<string> = new Set();
  readonly deletions: Set<string> = new Set();
  readonly finalizerRemovals: Set<string> = new Set();

  get isFulfilled(): boolean {
    return this.unanswered === 0 && this.creations.size === 0 && this.deletions.size === 0;
  }

  get isEmpty(): boolean {
    return this.isFulfilled && this.finalizerRemovals.size === 0;
  }
}

/**
 * What a controller has asked for about an object's dependents and its cache does not show yet, so that a pass does not ask twice.
 * Complements the ConsistencyStore: deletes leave no version to wait for, and an answer may be lost.
 *
 * Promises: a key is satisfied only when each create was answered and seen in the cache, by uid, and each delete seen; or after
 * five minutes without a new wish, since an event may never come. Events of other objects change nothing, whatever order answers
 * and events come in. Holds keys that wait for something only.
 * Does not promise that what was seen is still there. Not for two passes of one key at a time.
 *
 * Called by passes: `expect...` before the call is sent, then `created`, `creationFailed` or `deletionObserved` (for a delete that
 * failed, too). Called by event handlers: `...Observed`, also from tombstones, then the key is queued.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #keys: Map<string, Expected> = new Map();

  constructor({ clock, timeoutMs = TIMEOUT_MS }: ExpectationsOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Keys that wait for something. */
  get size(): number {
    return this.#keys.size;
  }

  /** Whether a pass may create and delete for `key`: nothing is pending, or it has been for too long. */
  satisfied(key: string): boolean {
    const expected = this.#keys.get(key);
    if (!expected || expected.isFulfilled) return true;
    return this.#clock.monotonic() - expected.since > this.#timeoutMs;
  }

  /** `count` creates are about to be sent. After a timeout, what was expected before is given up. */
  expectCreations(key: string, count: number): void {
    if (count > 0) this.#expect(key).unanswered += count;
  }

  /** The API server created the object with this uid. */
  created(key: string, uid: string): void {
    const expected = this.#keys.get(key);
    if (!expected || expected.unanswered === 0) return;
    expected.unanswered -= 1;
    if (!expected.early.delete(uid)) expected.creations.add(uid);
    this.#tidy(key, expected);
  }

  /** A create was refused, so that nothing will come of it. Not for one whose answer was lost: that may have been done. */
  creationFailed(key: string): void {
    const expected = this.#keys.get(key);
    if (!expected || expected.unanswered === 0) return;
    expected.unanswered -= 1;
    this.#tidy(key, expected);
  }

  /** The cache shows this object. */
  creationObserved(key: string, uid: string): void {
    const expected = this.#keys.get(key);
    if (!expected) return;
    if (!expected.creations.delete(uid) && expected.unanswered > 0) expected.early.add(uid);
    this.#tidy(key, expected);
  }

  /** These objects are about to be deleted. */
  expectDeletions(key: string, uids: Iterable<string>): void {
    for (const uid of uids) this.#expect(key).deletions.add(uid);
  }

  /** The cache no longer shows this object, or shows it as being deleted; or its deletion failed. */
  deletionObserved(key: string, uid: string): void {
    this.#settle(key, uid, "deletions");
  }

  /** A finalizer is about to be removed from these objects. Does not keep the key from being satisfied, and does not time out. */
  expectFinalizerRemovals(key: string, uids: Iterable<string>): void {
    for (const uid of uids) this.#entry(key).finalizerRemovals.add(uid);
  }

  /** The cache shows this object without the finalizer, or not at all; or the removal failed. */
  finalizerRemovalObserved(key: string, uid: string): void {
    this.#settle(key, uid, "finalizerRemovals");
  }

  /** Whether the finalizer of this object is on its way out: it has been accounted for, although the cache still shows it. */
  expectsFinalizerRemoval(key: string, uid: string): boolean {
    return this.#keys.get(key)?.finalizerRemovals.has(uid) ?? false;
  }

  /** The object is gone: nothing is expected for it any more. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  #expect(key: string): Expected {
    if (this.satisfied(key)) this.#giveUp(key);
    const expected = this.#entry(key);
    expected.since = this.#clock.monotonic();
    return expected;
  }

  #entry(key: string): Expected {
    const known = this.#keys.get(key);
    if (known) return known;
    const expected = new Expected();
    this.#keys.set(key, expected);
    return expected;
  }

  /** What has timed out must not be taken for part of what is expected next. */
  #giveUp(key: string): void {
    const expected = this.#keys.get(key);
    if (!expected) return;
    expected.unanswered = 0;
    for (const uids of [expected.creations, expected.early, expected.deletions]) uids.clear();
  }

  #settle(key: string, uid: string, which: "deletions" | "finalizerRemovals"): void {
    const expected = this.#keys.get(key);
    if (expected?.[which].delete(uid)) this.#tidy(key, expected);
  }

  #tidy(key: string, expected: Expected): void {
    if (expected.unanswered === 0) expected.early.clear();
    if (expected.isEmpty) this.#keys.delete(key);
  }
}
