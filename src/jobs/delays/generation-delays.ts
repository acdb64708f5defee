import type { InformerEvent } from "../../cache/index.ts";
import type { HeadWatch } from "../../head/index.ts";
import { type DeepReadonly, isComparableVersion, isHeartbeat, type KubeObject } from "../../resources/index.ts";
import { type CommitBounds, commitBounds } from "./commit-bounds.ts";
import type { DelayBounds } from "./delay-bounds.ts";

/** An object whose controller says which generation of its spec it has seen. */
export interface ObservedObject extends KubeObject {
  status?: { observedGeneration?: number };
}

export interface GenerationDelaysOptions {
  /** Watches the kind in the scope of the cache. */
  readonly head: Pick<HeadWatch, "table" | "doubt">;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly tell: (object: DeepReadonly<ObservedObject>, took: DelayBounds) => void;
}

interface Changed {
  readonly generation: number;
  readonly committed: CommitBounds;
  readonly rewinds: number;
}

/**
 * Finds how long the controller of a kind took to see a change of an object's spec. The API has no times of either, so both are placed
 * between the reads and arrivals of the head table; what a stream did not show, or no read confines, is not measured. One change at a
 * time an object: what changes while one waits is seen with it or later.
 */
export class GenerationDelays {
  readonly #options: GenerationDelaysOptions;
  readonly #waiting: Map<string, Changed> = new Map();
  /** Of a kind that never reports nothing is waited for. */
  #reports = false;

  constructor(options: GenerationDelaysOptions) {
    this.#options = options;
  }

  see(event: InformerEvent<ObservedObject>): void {
    const { object, type, cause } = event;
    const { uid, generation = 0 } = object.metadata;
    if (type === "delete") return void this.#waiting.delete(uid);
    if (isHeartbeat(object)) return;
    const observed = object.status?.observedGeneration;
    this.#reports ||= observed !== undefined;
    this.#settle(event, observed ?? 0);
    const before = event.type === "update" ? (event.old.metadata.generation ?? 0) : 0;
    const isNews = cause === "watch" && generation > before && generation > (observed ?? 0);
    if (isNews && this.#reports && !this.#waiting.has(uid)) this.#wait(object, generation);
  }

  /** What a list shows may have been so for any time. */
  #settle({ object, cause }: InformerEvent<ObservedObject>, observed: number): void {
    const { uid } = object.metadata;
    const waiting = this.#waiting.get(uid);
    if (!waiting || observed < waiting.generation) return;
    this.#waiting.delete(uid);
    if (cause === "watch") this.#seen(object, waiting);
  }

  #wait(object: DeepReadonly<ObservedObject>, generation: number): void {
    const committed = this.#committed(object);
    const { rewinds } = this.#options.head.table;
    if (committed) this.#waiting.set(object.metadata.uid, { generation, committed, rewinds });
  }

  #seen(object: DeepReadonly<ObservedObject>, { committed: from, rewinds }: Changed): void {
    const to = this.#committed(object);
    if (!to || rewinds !== this.#options.head.table.rewinds) return;
    this.#options.tell(object, { minMs: Math.max(0, to.after - from.by), maxMs: Math.max(0, to.by - from.after) });
  }

  #committed({ metadata: { resourceVersion } }: DeepReadonly<ObservedObject>): CommitBounds | undefined {
    const { head, now } = this.#options;
    const view = head.table.view();
    if (!view || head.doubt !== undefined || !isComparableVersion(resourceVersion)) return undefined;
    return commitBounds(view, BigInt(resourceVersion), now());
  }
}
