import type { DeepReadonly, KubeObject, Resource } from "../resources/index.ts";
import type { OpaqueObject } from "./api.ts";
import { Codec } from "./codec.ts";
import { whyUndecodable } from "./undecodable.ts";

/** Reads objects that came as JSON from somewhere else than a server: the same objects that lists and watches give. */
export class JsonObjects {
  readonly #codec: Codec = new Codec();

  /** One that does not read as its kind says why, and what is known of it. */
  read<T extends KubeObject>(resource: Resource<T>, json: unknown): { object: DeepReadonly<T> } | OpaqueObject {
    try {
      return { object: this.#codec.object(resource, { json }) };
    } catch (thrown) {
      return { why: whyUndecodable(thrown), object: this.#codec.identity({ json }) };
    }
  }
}
