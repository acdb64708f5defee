import type { Kind } from "../storage/kind.ts";

/** What is wrong with the delivery of one kind's events at the moment. */
export class KindFaults {
  readonly #delays: Map<string, number> = new Map();
  readonly #withheld: Set<string> = new Set();
  readonly #drops: Map<string, number> = new Map();

  delayMs(kind: Kind): number {
    return this.#delays.get(kind.id) ?? 0;
  }

  setDelay(kind: Kind, ms: number): void {
    this.#delays.set(kind.id, ms);
  }

  withholdsBookmarks(kind: Kind): boolean {
    return this.#withheld.has(kind.id);
  }

  withholdBookmarks(kind: Kind, withheld: boolean): void {
    if (withheld) this.#withheld.add(kind.id);
    else this.#withheld.delete(kind.id);
  }

  dropNext(kind: Kind, count: number): void {
    this.#drops.set(kind.id, (this.#drops.get(kind.id) ?? 0) + count);
  }

  /** Takes one of the drops that were asked for, if there is one. */
  takeDrop(kind: Kind): boolean {
    const left = this.#drops.get(kind.id) ?? 0;
    if (left > 0) this.#drops.set(kind.id, left - 1);
    return left > 0;
  }
}
