import type { CallOptions, ListOptions, ListPage, Live, LiveReader, WatchEvent, WatchOptions } from "../kube/index.ts";
import type { KubeObject, ObjectRef, Resource } from "../resources/index.ts";
import type { PassCalls } from "./pass-calls.ts";

/** The live reads of one pass. */
export class PassReader implements LiveReader {
  readonly #client: LiveReader;
  readonly #calls: PassCalls;

  constructor(client: LiveReader, calls: PassCalls) {
    this.#client = client;
    this.#calls = calls;
  }

  async get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options: CallOptions = {}): Promise<Live<T>> {
    const object = await this.#calls.call("get", resource, ref, () =>
      this.#client.get(resource, ref, this.#calls.options(options)),
    );
    this.#calls.saw(resource, object.metadata.resourceVersion);
    return object;
  }

  async *list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): AsyncIterable<ListPage<T>> {
    const span = this.#calls.start("list", resource, options.namespace ? { namespace: options.namespace } : {});
    try {
      yield* this.#client.list(resource, this.#calls.options(options));
    } catch (thrown) {
      span.fail(thrown);
      throw thrown;
    } finally {
      span.end();
    }
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]> {
    return this.#client.watch(resource, this.#calls.options(options));
  }
}
