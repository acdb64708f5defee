import { type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { SharedCache } from "./managed-controller.ts";

/** Bookmarks come about once a minute: a cache that has not caught up by then may have lost what somebody waits for. */
const PATIENCE_MS = 90_000;

/** Has caches listed anew that make somebody wait for too long; each at most once in that time, however many wait. */
export class VerifiedCaches {
  readonly #env: Pick<Env, "clock" | "log">;
  readonly #asked: WeakMap<SharedCache, number> = new WeakMap();

  constructor(env: Pick<Env, "clock" | "log">) {
    this.#env = env;
  }

  /** Somebody has waited for `store` since then (monotonic milliseconds). */
  verify(resource: Resource, store: SharedCache, since: number): void {
    const now = this.#env.clock.monotonic();
    const last = this.#asked.get(store) ?? Number.NEGATIVE_INFINITY;
    if (now - Math.max(since, last) < PATIENCE_MS) return;
    this.#asked.set(store, now);
    const fields = { resource: resourceName(resource), storeVersion: store.lastStoreSyncResourceVersion() };
    this.#env.log.warn("a cache does not catch up; it is listed anew", fields);
    store.relist("verification");
  }
}
