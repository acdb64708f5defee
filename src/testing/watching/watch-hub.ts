import type { Kind } from "../storage/kind.ts";
import type { Change } from "../storage/stored-object.ts";
import type { WatchStream } from "./watch-stream.ts";

/** The open watch streams by kind: who hears of a change, and whom a fault hits. */
export class WatchHub {
  readonly #streams: Map<string, Set<WatchStream>> = new Map();

  add(stream: WatchStream): void {
    const { id } = stream.kind;
    const there = this.#streams.get(id);
    if (there) there.add(stream);
    else this.#streams.set(id, new Set([stream]));
  }

  delete(stream: WatchStream): void {
    this.#streams.get(stream.kind.id)?.delete(stream);
  }

  dispatch(change: Change): void {
    for (const stream of this.of(change.kind)) stream.offer(change);
  }

  /** The open streams of one kind, or of all. */
  of(kind?: Kind): readonly WatchStream[] {
    if (kind) return [...(this.#streams.get(kind.id) ?? [])];
    return [...this.#streams.values()].flatMap((streams) => [...streams]);
  }
}
