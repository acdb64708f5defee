import type { KindFaults } from "./kind-faults.ts";
import type { RequestFault, RequestFaults, RequestMatch } from "./request-faults.ts";
import { expired, StatusError } from "../status-error.ts";
import type { KindRef, KindRegistry } from "../storage/kind-registry.ts";
import type { Store } from "../storage/store.ts";
import type { WatchHub } from "../watching/watch-hub.ts";

export interface Failure {
  /** All requests unless given. */
  match?: RequestMatch;
  /** HTTP status, for example 429 or 500. */
  status: number;
  reason?: string;
  message?: string;
  /** Seconds, sent as the header and in the Status. */
  retryAfter?: number;
  /** How many requests; for ever unless given. */
  times?: number;
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

interface FaultServices {
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly hub: WatchHub;
  readonly kindFaults: KindFaults;
  readonly requestFaults: RequestFaults;
}

/** Everything that can be made to go wrong, while clients run. Faults of a kind hit its watches on every replica. */
export class FaultControl {
  readonly #services: FaultServices;
  #unreachable = false;

  constructor(services: FaultServices) {
    this.#services = services;
  }

  /** From now on, bytes of the kind's watches arrive `ms` late; 0 ends it and releases what waits. Lists are not delayed. */
  delay(resource: KindRef, ms: number): void {
    const { kinds, kindFaults, hub } = this.#services;
    const kind = kinds.require(resource);
    kindFaults.setDelay(kind, ms);
    for (const stream of hub.of(kind)) stream.flush();
  }

  /** The next `count` changes of the kind never reach any watch, now or later. Lists show them. */
  dropNext(resource: KindRef, count: number): void {
    this.#services.kindFaults.dropNext(this.#services.kinds.require(resource), count);
  }

  /** The watches that are open stay open, and nothing comes any more: no event, no bookmark, no end. New ones work. */
  halfOpen(resource?: KindRef): void {
    for (const stream of this.#streams(resource)) stream.fallSilent();
  }

  /** The next frame of each open watch is cut in two, and its connection breaks between the halves. */
  cutMidFrame(resource?: KindRef): void {
    for (const stream of this.#streams(resource)) stream.cutNextFrame();
  }

  /** Ends the open watches cleanly, as the end of `timeoutSeconds` would. */
  endWatches(resource?: KindRef): void {
    for (const stream of this.#streams(resource)) stream.end();
  }

  /** Breaks the connections of the open watches. */
  breakWatches(resource?: KindRef): void {
    for (const stream of this.#streams(resource)) stream.breakOff();
  }

  /** Ends the open watches with an ERROR event 410 Expired, and forgets the history, so that they cannot go on where they were. */
  expire(resource?: KindRef): void {
    const { store } = this.#services;
    store.compact(store.revision);
    const { status } = expired(`too old resource version (${store.scale.text(store.compacted)})`);
    for (const stream of this.#streams(resource)) stream.refuse(status);
  }

  withholdBookmarks(resource: KindRef, withheld = true): void {
    this.#services.kindFaults.withholdBookmarks(this.#services.kinds.require(resource), withheld);
  }

  /** Refuses requests before they do anything. */
  failRequests(failure: Failure): RequestFault {
    const { match = {}, status, retryAfter, times = Number.POSITIVE_INFINITY } = failure;
    const reason = failure.reason ?? REASONS[status] ?? "";
    const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
    const refusal = new StatusError(
      status,
      reason,
      failure.message ?? `injected failure ${status} ${reason}`.trim(),
      details,
    );
    return this.#services.requestFaults.arm({ match, refusal, left: times });
  }

  /** Requests are answered `ms` later. */
  slowRequests(options: { match?: RequestMatch; ms: number; times?: number }): RequestFault {
    const { match = {}, ms, times = Number.POSITIVE_INFINITY } = options;
    return this.#services.requestFaults.arm({ match, delayMs: ms, left: times });
  }

  /** Requests do their work, but the connection breaks before the answer: the client cannot know. */
  loseAnswers(options: { match?: RequestMatch; times?: number } = {}): RequestFault {
    const { match = {}, times = Number.POSITIVE_INFINITY } = options;
    return this.#services.requestFaults.arm({ match, losesAnswer: true, left: times });
  }

  /** While true, no connection is accepted; those that are open break. */
  unreachable(unreachable: boolean): void {
    this.#unreachable = unreachable;
    if (unreachable) this.breakWatches();
  }

  get isUnreachable(): boolean {
    return this.#unreachable;
  }

  /**
   * Restores the cluster as it was at `version`, which must still be in the history. Later versions will be given out again;
   * connections break, as the API servers restart.
   */
  rollback(version: string): void {
    const { store } = this.#services;
    const revision = store.scale.revision(version);
    if (revision === undefined || revision < store.compacted || revision > store.revision) {
      throw new RangeError(`version ${version} is not in the history`);
    }
    store.rollback(revision);
    this.breakWatches();
  }

  #streams(resource: KindRef | undefined): ReturnType<WatchHub["of"]> {
    const { hub, kinds } = this.#services;
    return hub.of(resource && kinds.require(resource));
  }
}
