import type { LeaderElector } from "../election/index.ts";
import type {
  DeleteOptions,
  Draft,
  ListOptions,
  ListPage,
  Live,
  LiveReader,
  Patch,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
  Writer,
} from "../kube/index.ts";
import type { KubeObject, ObjectRef, Resource } from "../resources/index.ts";

/**
 * A client whose writes go out only while this process leads: asked when they are called, and again as each is sent, which may be
 * much later. Errors of writes: `NOT_LEADER`, besides the client's own. Reads are as they are.
 */
export class LeaderClient implements LiveReader, Writer {
  readonly #client: LiveReader & Writer;
  readonly #elector: LeaderElector;

  constructor(client: LiveReader & Writer, elector: LeaderElector) {
    this.#client = client;
    this.#elector = elector;
  }

  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): AsyncIterable<ListPage<T>> {
    return this.#client.list(resource, options);
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]> {
    return this.#client.watch(resource, options);
  }

  get<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options?: { signal?: AbortSignal },
  ): Promise<Live<T>> {
    return this.#client.get(resource, ref, options);
  }

  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft, options?: WriteOptions): Promise<Live<T>> {
    return this.#client.create(resource, draft, this.#guarded(options));
  }

  async update<T extends KubeObject>(
    resource: Resource<T>,
    object: Live<T>,
    options?: WriteOptions & { subresource?: "status" },
  ): Promise<Live<T>> {
    return this.#client.update(resource, object, this.#guarded(options));
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: PatchOptions,
  ): Promise<Live<T>> {
    return this.#client.patch(resource, ref, patch, this.#guarded(options));
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<Live<T> | undefined> {
    return this.#client.delete(resource, ref, this.#guarded(options));
  }

  #guarded<O extends WriteOptions>(options?: O): WriteOptions & Partial<O> {
    this.#elector.requireLeadership();
    const beforeSend = (): void => {
      this.#elector.requireLeadership();
      options?.beforeSend?.();
    };
    return { ...options, beforeSend } as WriteOptions & Partial<O>;
  }
}
