import { StalewatchError, whenAborted } from "../base/index.ts";
import type { ListerWatcher, Scope } from "../kube/index.ts";
import { type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { Informer } from "./informer.ts";

export interface InformerSetOptions {
  client: ListerWatcher;
  /** The `name` label of the caches' metrics; "stalewatch" unless given. The second cache of a kind has its scope behind it. */
  name?: string;
  resyncPeriodMs?: number;
  /** The cache of a kind starts when this resolves, at once when it gives nothing. Rejects only with the signal's reason. */
  startWhen?: (resource: Resource, signal: AbortSignal) => Promise<void> | undefined;
  env?: Partial<Env>;
}

/** One informer for each kind and scope, however many ask for it: one watch, one copy. */
export class InformerSet implements AsyncDisposable {
  readonly #options: InformerSetOptions;
  readonly #informers: Map<string, Informer> = new Map();
  readonly #disposed: AbortController = new AbortController();
  readonly #runs: Promise<void>[] = [];
  #signal: AbortSignal | undefined;

  constructor(options: InformerSetOptions) {
    this.#options = options;
  }

  /**
   * Made when first asked for; started at once when the set runs already. `name` is its label unless the set is to name it: no other
   * cache of the kind may have the same.
   */
  get<T extends KubeObject>(resource: Resource<T>, scope: Scope = {}, name?: string): Informer<T> {
    const key = `${resourceName(resource)} ${scopeText(scope)}`;
    const known = this.#informers.get(key);
    // The key is unique to the resource, so this is the informer of a T.
    if (known) return known as unknown as Informer<T>;
    const informer = new Informer({ ...this.#options, resource, scope, name: name ?? this.#nameFor(resource, scope) });
    this.#informers.set(key, informer as unknown as Informer);
    if (this.#signal) this.#start(informer as unknown as Informer, this.#signal);
    return informer;
  }

  [Symbol.iterator](): Iterator<Informer> {
    return this.#informers.values();
  }

  /** Runs all of them, also those that are asked for later. Resolves after the abort, when all have stopped. */
  async run(options: { signal: AbortSignal }): Promise<void> {
    if (this.#signal)
      throw new StalewatchError("INFORMER_STARTED", "the informers were started twice", "make another set");
    const signal = AbortSignal.any([options.signal, this.#disposed.signal]);
    this.#signal = signal;
    for (const informer of this.#informers.values()) this.#start(informer, signal);
    await whenAborted(signal);
    await Promise.all(this.#runs);
  }

  /** Resolves when the initial lists of all are in their stores. Rejects with the signal's reason, or when they stop before. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.whenSynced(signal)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort();
    await Promise.all(this.#runs);
  }

  #nameFor(resource: Pick<Resource, "group" | "version" | "resource">, scope: Scope): string {
    const { name = "stalewatch" } = this.#options;
    const kind = resourceName(resource);
    const isFirst = [...this.#informers.values()].every((other) => resourceName(other.resource) !== kind);
    return isFirst ? name : name + scopeText(scope);
  }

  #start(informer: Informer, signal: AbortSignal): void {
    const start = this.#options.startWhen?.(informer.resource, signal);
    this.#runs.push(start ? runAfter(start, informer, signal) : informer.run({ signal }));
  }
}

async function runAfter(start: Promise<void>, informer: Informer, signal: AbortSignal): Promise<void> {
  try {
    await start;
  } catch (thrown) {
    if (signal.aborted) return;
    throw thrown;
  }
  await informer.run({ signal });
}

function scopeText({ namespace, labelSelector, fieldSelector }: Scope): string {
  const parts = [
    namespace && `:${namespace}`,
    labelSelector && `?${labelSelector}`,
    fieldSelector && `#${fieldSelector}`,
  ];
  return parts.filter(Boolean).join("") || ":*";
}
