import { ApiError, type Live, type Patch, type PatchOptions, type WriteOptions } from "../../src/kube/index.ts";
import { keyOf, type KubeObject, type ObjectRef, type Resource } from "../../src/resources/index.ts";

export interface WriteCall {
  readonly verb: "create" | "patch";
  readonly key: string;
  readonly body: object;
  readonly options: WriteOptions & PatchOptions;
}

/** Takes creates and patches and keeps them; fails those that it is told to. */
export class MemoryWriter {
  readonly calls: WriteCall[] = [];
  readonly #failures: { reason: string; status: number }[] = [];
  #held: PromiseWithResolvers<void> | undefined;

  fail(reason: string, status: number): void {
    this.#failures.push({ reason, status });
  }

  /** No call is answered until `release`. */
  hold(): void {
    this.#held = Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  create<T extends KubeObject>(_resource: Resource<T>, draft: object, options: WriteOptions = {}): Promise<Live<T>> {
    const { metadata } = draft as KubeObject;
    return this.#answer({ verb: "create", key: keyOf(metadata), body: draft, options }, draft as T);
  }

  patch<T extends KubeObject>(
    _resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<Live<T>> {
    const call = { verb: "patch" as const, key: keyOf(ref), body: patch.body, options };
    return this.#answer(call, { metadata: ref } as T);
  }

  async #answer<T>(call: WriteCall, object: T): Promise<Live<T>> {
    this.calls.push(call);
    await this.#held?.promise;
    const failure = this.#failures.shift();
    if (failure) throw new ApiError({ ...failure, message: `${call.verb} ${call.key} was refused` });
    return object as Live<T>;
  }
}
