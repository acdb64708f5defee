import type { HeadTable, HeadWatch } from "../head/index.ts";
import type { Clock } from "../base/index.ts";

/**
 * The head watch as it judges a cache of somebody else. A target may lie, or be two: that its version goes back is a sign of a restore, but
 * no reason to break a watch that judges other caches too. The next read settles it, and until then this cache alone is in doubt.
 */
export class TargetHead {
  readonly #head: HeadWatch;
  readonly #reads: boolean;
  readonly #clock: Clock;
  #suspicion: { readonly why: string; readonly at: number; readonly rewinds: number } | undefined;

  constructor(head: HeadWatch, reads: boolean, clock: Clock) {
    this.#head = head;
    this.#reads = reads;
    this.#clock = clock;
  }

  get table(): HeadTable {
    return this.#head.table;
  }

  get doubt(): string | undefined {
    if (this.#suspicion && this.#isSettled(this.#suspicion)) this.#suspicion = undefined;
    return this.#head.doubt ?? this.#suspicion?.why;
  }

  suspect(why: string): void {
    // Nothing else would read the version.
    if (!this.#reads) return this.#head.suspect(why);
    this.#suspicion = { why, at: this.#clock.monotonic(), rewinds: this.table.rewinds };
  }

  /** A read that was sent after the sign has seen the history that the sign is of. */
  #isSettled({ at, rewinds }: { at: number; rewinds: number }): boolean {
    return this.table.rewinds !== rewinds || (this.table.view()?.reads.at(-1)?.sentAt ?? 0) > at;
  }
}
