import type { InformerEvent } from "../cache/index.ts";
import type { DeepReadonly, KubeObject } from "../resources/index.ts";
import { keyOf } from "../resources/index.ts";
import { BoundedMap } from "./bounded-map.ts";

/** A change of a watched object that may have told no key, because the user's map threw, or that no later read can show. */
export interface UntoldChange {
  readonly object: DeepReadonly<KubeObject>;
  /** Where the cache stood once it had the change. */
  readonly version: string;
  /** The map threw: whoever the change concerned was not told. */
  readonly threw: boolean;
  readonly gone: boolean;
}

/** Objects of one kind that are remembered; then the one that changed longest ago is forgotten. */
const REMEMBERED = 1_000;

/** Of one watched kind: the deletes, and the changes whose map threw. The last one of each object. */
export class UntoldChanges {
  readonly #changes: BoundedMap<string, UntoldChange> = new BoundedMap(REMEMBERED);

  note({ object, type }: InformerEvent<KubeObject>, version: string, threw: boolean): void {
    const gone = type === "delete";
    if (gone || threw) this.#changes.set(keyOf(object.metadata), { object, version, threw, gone });
  }

  [Symbol.iterator](): Iterator<UntoldChange> {
    return this.#changes.values();
  }
}
