import type { DeepReadonly, KubeObject } from "../resources/index.ts";
import type { OpaqueObject } from "./api.ts";
import type { Raw } from "./codec.ts";
import type { Reading } from "./reading.ts";
import { whyUndecodable } from "./undecodable.ts";

/** The objects of a page as they are read. Those that do not read are counted, and kept apart: they exist all the same. */
export class PageItems<T extends KubeObject> {
  readonly items: DeepReadonly<T>[] = [];
  readonly opaque: OpaqueObject[] = [];
  readonly #reading: Reading<T>;

  constructor(reading: Reading<T>) {
    this.#reading = reading;
  }

  add(raw: Raw): void {
    try {
      this.items.push(this.#reading.codec.object(this.#reading.resource, raw));
    } catch (thrown) {
      this.addOpaque(whyUndecodable(thrown), raw);
    }
  }

  /** `rest` is what can still be read of it. */
  addOpaque(why: string, rest: Raw): void {
    const object = this.#reading.codec.identity(rest);
    this.#reading.opaque.record(why, object);
    this.opaque.push({ object, why });
  }
}
