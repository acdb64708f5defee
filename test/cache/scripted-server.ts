import {
  ApiError,
  type ListerWatcher,
  type ListOptions,
  type ListPage,
  type OpaqueObject,
  type WatchEvent,
  type WatchOptions,
} from "../../src/kube/index.ts";
import type { KubeObject, Resource } from "../../src/resources/index.ts";

type Chunk = readonly WatchEvent<KubeObject>[];

/** What a cache asked for, to be answered by the test. */
export class ListCall {
  readonly options: ListOptions;
  readonly #pages = new Pushed<ListPage<KubeObject>>();

  constructor(options: ListOptions) {
    this.options = options;
    abortEnds(this.#pages, options.signal);
  }

  get pages(): AsyncIterable<ListPage<KubeObject>> {
    return this.#pages;
  }

  /** One page, the last unless said otherwise. */
  answer(
    resourceVersion: string,
    items: readonly KubeObject[],
    more: { last?: boolean; opaque?: OpaqueObject[] } = {},
  ): void {
    const { last = true, opaque = [] } = more;
    this.#pages.push({ items, opaque, resourceVersion, last });
    if (last) this.#pages.end();
  }

  fail(error: Error): void {
    this.#pages.fail(error);
  }
}

export class WatchCall {
  readonly options: WatchOptions;
  readonly #chunks = new Pushed<Chunk>();

  constructor(options: WatchOptions) {
    this.options = options;
    abortEnds(this.#chunks, options.signal);
  }

  get chunks(): AsyncIterable<Chunk> {
    return this.#chunks;
  }

  get open(): boolean {
    return this.#chunks.open;
  }

  /** The events of one network chunk. */
  send(...events: WatchEvent<KubeObject>[]): void {
    this.#chunks.push(events);
  }

  /** The server has answered; events may follow. */
  accept(): void {
    this.options.onOpen?.();
  }

  end(): void {
    this.#chunks.end();
  }

  fail(error: Error): void {
    this.#chunks.fail(error);
  }
}

/** A server whose answers the test writes, call by call. */
export class ScriptedServer implements ListerWatcher {
  readonly lists: ListCall[] = [];
  readonly watches: WatchCall[] = [];

  list<T extends KubeObject>(_resource: Resource<T>, options: ListOptions = {}): AsyncIterable<ListPage<T>> {
    const call = new ListCall(options);
    this.lists.push(call);
    return call.pages as AsyncIterable<ListPage<T>>;
  }

  watch<T extends KubeObject>(_resource: Resource<T>, options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]> {
    const call = new WatchCall(options);
    this.watches.push(call);
    return call.chunks as AsyncIterable<readonly WatchEvent<T>[]>;
  }

  get lastList(): ListCall {
    return this.lists.at(-1) ?? expected("a list");
  }

  get lastWatch(): WatchCall {
    return this.watches.at(-1) ?? expected("a watch");
  }
}

export function object(name: string, version: number | string, more: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return { metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: String(version), ...more } };
}

export function added(
  name: string,
  version: number | string,
  more?: Partial<KubeObject["metadata"]>,
): WatchEvent<KubeObject> {
  return { type: "ADDED", object: object(name, version, more) };
}

export function modified(
  name: string,
  version: number | string,
  more?: Partial<KubeObject["metadata"]>,
): WatchEvent<KubeObject> {
  return { type: "MODIFIED", object: object(name, version, more) };
}

export function deleted(
  name: string,
  version: number | string,
  more?: Partial<KubeObject["metadata"]>,
): WatchEvent<KubeObject> {
  return { type: "DELETED", object: object(name, version, more) };
}

export function bookmark(version: number | string, initialEventsEnd = false): WatchEvent<KubeObject> {
  return { type: "BOOKMARK", resourceVersion: String(version), initialEventsEnd };
}

export function apiError(status: number, reason: string, retryAfterMs?: number): ApiError {
  return new ApiError({
    status,
    reason,
    message: `list things.v1: ${reason}`,
    ...(retryAfterMs ? { retryAfterMs } : {}),
  });
}

export const refused = (): ApiError => apiError(400, "BadRequest");
export const broken = (): ApiError => apiError(0, "Unreachable");
export const expired = (): ApiError => apiError(410, "Expired");

function expected(what: string): never {
  throw new Error(`expected ${what}`);
}

function abortEnds(
  pushed: Pushed<never> | Pushed<Chunk> | Pushed<ListPage<KubeObject>>,
  signal: AbortSignal | undefined,
): void {
  if (signal?.aborted) pushed.fail(signal.reason as Error);
  signal?.addEventListener("abort", () => pushed.fail(signal.reason as Error), { once: true });
}

/** An async iterable that is fed from outside. */
class Pushed<V> implements AsyncIterable<V>, AsyncIterator<V, undefined> {
  readonly #values: V[] = [];
  #ended: { error?: Error } | undefined;
  #wake: (() => void) | undefined;

  get open(): boolean {
    return this.#ended === undefined;
  }

  push(value: V): void {
    this.#values.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#ended ??= {};
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#ended ??= { error };
    this.#wake?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<V, undefined>> {
    for (;;) {
      if (this.#values.length > 0) return { done: false, value: this.#values.shift() as V };
      if (this.#ended?.error) throw this.#ended.error;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<V, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }
}
