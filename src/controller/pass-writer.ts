import { StalewatchError } from "../base/index.ts";
import {
  ApiError,
  type DeleteOptions,
  type Draft,
  isNotFound,
  type Live,
  type Patch,
  type PatchOptions,
  type WriteOptions,
  type Writer,
} from "../kube/index.ts";
import {
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectRef,
  type Resource,
  resourceName,
} from "../resources/index.ts";
import { setOwner } from "./owner.ts";
import type { PassCalls } from "./pass-calls.ts";
import type { CreateOptions, PassWriter, StatusPatch } from "./pass.ts";

export interface PassWriterOptions<T extends KubeObject> {
  readonly client: Writer;
  readonly calls: PassCalls;
  readonly resource: Resource<T>;
  readonly object: DeepReadonly<T>;
  /** The version at which the cache has an object; undefined when it has none, or the kind is not cached. */
  readonly cachedVersion: (resource: Resource, ref: ObjectRef) => string | undefined;
  /** Told before a write is sent; what it returns is called once the write has been answered. */
  readonly sending: (resource: Resource) => (() => void) | undefined;
  /** Told of every version that was written, before the write returns to the reconcile. */
  readonly wrote: (resource: Resource, metadata: KubeObject["metadata"]) => void;
  /** As `cachedVersion`. */
  readonly cachedUid: (resource: Resource, ref: ObjectRef) => string | undefined;
  /** Told of every object that is gone; `uid` is undefined when neither the pass nor its cache knew it. */
  readonly deleted: (resource: Resource, ref: ObjectRef, uid: string | undefined) => void;
  /** Told when a write was sent and it is not known whether it was done. */
  readonly unanswered: (resource: Resource) => void;
}

/** The writes of one pass, and whether any of them changed something. */
export class RecordingPassWriter<T extends KubeObject> implements PassWriter<T> {
  readonly #options: PassWriterOptions<T>;
  /** Of the objects that the pass has written. */
  readonly #uids: Map<string, string> = new Map();
  #changed = false;

  constructor(options: PassWriterOptions<T>) {
    this.#options = options;
  }

  get changed(): boolean {
    return this.#changed;
  }

  async create<O extends KubeObject>(
    resource: Resource<O>,
    draft: Draft,
    options: CreateOptions = {},
  ): Promise<Live<O>> {
    const { owner, ...rest } = options;
    const placed = owner === false ? this.#placed(resource, draft) : this.#owned(resource, draft);
    const { namespace, name } = placed.metadata;
    const ref = { ...(namespace && { namespace }), ...(name && { name }) };
    return this.#write("create", resource, ref, rest, (options) =>
      this.#options.client.create(resource, placed, options),
    );
  }

  async update<O extends KubeObject>(
    resource: Resource<O>,
    object: Live<O>,
    options: WriteOptions & { subresource?: "status" } = {},
  ): Promise<Live<O>> {
    this.#options.calls.saw(resource, object.metadata.resourceVersion);
    return this.#write("update", resource, object.metadata, options, (options) =>
      this.#options.client.update(resource, object, options),
    );
  }

  async patch<O extends KubeObject>(
    resource: Resource<O>,
    ref: ObjectRef,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<Live<O>> {
    return this.#write("patch", resource, ref, options, (options) =>
      this.#options.client.patch(resource, ref, patch, options),
    );
  }

  patchStatus(object: DeepReadonly<T>, status: StatusPatch<T>, options: PatchOptions = {}): Promise<Live<T>> {
    const patch: Patch = { type: "merge", body: { status } };
    return this.patch(this.#options.resource, object.metadata, patch, { ...options, subresource: "status" });
  }

  async delete<O extends KubeObject>(
    resource: Resource<O>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<Live<O> | undefined> {
    // Asked before the delete: its event is often in the cache before its answer is here.
    const uid = options.uid ?? this.#uids.get(uidKey(resource, ref)) ?? this.#options.cachedUid(resource, ref);
    try {
      const left = await this.#write("delete", resource, ref, options, (options) =>
        this.#options.client.delete(resource, ref, options),
      );
      if (!left && !options.dryRun) this.#options.deleted(resource, ref, uid);
      return left;
    } catch (thrown) {
      if (isNotFound(thrown)) this.#options.deleted(resource, ref, uid);
      throw thrown;
    }
  }

  #owned(resource: Resource, draft: Draft): Draft {
    const own = this.#options;
    const { namespace } = own.object.metadata;
    if (resource.namespaced || !namespace) return this.#placed(resource, setOwner(draft, own.object, own.resource));
    throw new StalewatchError(
      "OWNER_OUT_OF_REACH",
      `${resourceName(own.resource)} ${keyOf(own.object.metadata)} cannot own an object of ${resourceName(resource)}, which has no namespace`,
      "create it with { owner: false }",
    );
  }

  #placed(resource: Resource, draft: Draft): Draft {
    const namespace = draft.metadata.namespace ?? this.#options.object.metadata.namespace;
    return resource.namespaced && namespace ? { ...draft, metadata: { ...draft.metadata, namespace } } : draft;
  }

  async #write<A extends KubeObject | undefined, W extends WriteOptions>(
    verb: string,
    resource: Resource,
    ref: Partial<ObjectRef>,
    options: W,
    send: (options: W) => Promise<A>,
  ): Promise<A> {
    const { calls, cachedVersion } = this.#options;
    calls.refuseWhenOver();
    // Seen before the write: its event is often in the cache before its answer is here.
    if (ref.name !== undefined) calls.saw(resource, cachedVersion(resource, { ...ref, name: ref.name }));
    const answered = this.#options.sending(resource);
    let sent = 0;
    const beforeSend = (): void => {
      options.beforeSend?.();
      sent += 1;
    };
    try {
      const answer = await calls.call(verb, resource, ref, () => send(calls.options({ ...options, beforeSend })));
      if (!options.dryRun) this.#account(resource, answer);
      return answer;
    } catch (thrown) {
      if (sent > 0 && !options.dryRun && !(sent === 1 && isRefusal(thrown))) this.#unanswered(resource);
      throw thrown;
    } finally {
      answered?.();
    }
  }

  #unanswered(resource: Resource): void {
    this.#changed = true;
    this.#options.unanswered(resource);
  }

  /** Without an answer the object is gone: there is no version to wait for. */
  #account(resource: Resource, answer: KubeObject | undefined): void {
    if (!answer) {
      this.#changed = true;
      return;
    }
    const { calls, wrote } = this.#options;
    const { metadata } = answer;
    if (!calls.hasSeen(resource, metadata.resourceVersion)) this.#changed = true;
    calls.saw(resource, metadata.resourceVersion);
    this.#uids.set(uidKey(resource, metadata), metadata.uid);
    wrote(resource, metadata);
  }
}

/** Said of the first try, before anything was done. What refuses a second one may be what the first one did. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500;
}

function uidKey({ group, resource }: Resource, ref: ObjectRef): string {
  return `${group}/${resource} ${keyOf(ref)}`;
}
