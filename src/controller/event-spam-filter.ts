import type { Clock } from "../base/index.ts";
import { BoundedMap } from "./bounded-map.ts";

/** client-go's values: 25 events at once about one object, then one in five minutes (k8s.io/client-go/tools/record). */
const BURST = 25;
const REFILL_MS = 300_000;
const REMEMBERED_OBJECTS = 4_096;

/** Keeps one object that flaps from filling etcd with events. Called by the recorder, once an event. */
export class EventSpamFilter {
  readonly #clock: Clock;
  readonly #buckets: BoundedMap<string, { tokens: number; at: number }> = new BoundedMap(REMEMBERED_OBJECTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether an event about this object may be sent now; if so it is charged. */
  allows(object: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(object) ?? { tokens: BURST, at: now };
    const tokens = Math.min(bucket.tokens + (now - bucket.at) / REFILL_MS, BURST);
    const allowed = tokens >= 1;
    this.#buckets.set(object, { tokens: allowed ? tokens - 1 : tokens, at: now });
    return allowed;
  }
}
