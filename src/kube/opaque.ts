import { type DeepReadonly, keyOf, type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { Counter, Log } from "../telemetry/index.ts";

/** Counts the objects of one kind that could not be read, and says so: aloud the first time, quietly after that. */
export class OpaqueObjects {
  readonly #resource: Resource;
  readonly #counter: Counter;
  readonly #log: Log;
  #told = false;

  constructor(resource: Resource, counter: Counter, log: Log) {
    this.#resource = resource;
    this.#counter = counter;
    this.#log = log;
  }

  record(why: string, object: DeepReadonly<KubeObject> | undefined): void {
    this.#counter.inc();
    const fields = { resource: resourceName(this.#resource), object: object && keyOf(object.metadata), why };
    if (this.#told) this.#log.debug("an object could not be read and is left out", fields);
    else this.#log.warn("an object could not be read and is left out", fields);
    this.#told = true;
  }
}
