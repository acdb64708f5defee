import { messageOf, sleep } from "../base/index.ts";
import { type FailureReason, type Informer, InformerSet, listFailures, reasonOf } from "../cache/index.ts";
import { addedKinds, isBuiltIn, OBSERVED_GENERATION, type Parents } from "../jobs/index.ts";
import type { DiscoveredResource, KubeClient, Scope } from "../kube/index.ts";
import { defineResource, metadataOf, type Resource, resourceName, resources } from "../resources/index.ts";
import type { Counter, Env } from "../telemetry/index.ts";
import { cacheName } from "./cache-name.ts";
import { notServed } from "./not-served.ts";
import type { WatchedKind } from "./sidecar-options.ts";

/** A kind may be installed, or a server become reachable, at any time. */
const LOOK_AGAIN_MS = 30_000;

/** Whole, by whoever judges them. */
const CACHED_ANYWAY: ReadonlySet<string> = new Set([resources.jobs, resources.cronJobs].map(resourceName));
const JUDGED_IN_PART: ReadonlySet<string> = new Set(
  [resources.pods, resources.leases, ...addedKinds()].map(resourceName),
);

export interface WatchedKindsOptions extends Partial<Parents> {
  readonly client: KubeClient;
  readonly kinds: readonly WatchedKind[];
  readonly namespaces: readonly string[];
  readonly env: Env;
}

/**
 * Caches of the kinds that the user named, with little more than their metadata. A kind that the server does not serve is told once, and looked for and
 * counted again and again: the others, and everything else, go on.
 */
export class WatchedKinds {
  readonly #options: WatchedKindsOptions;
  readonly #informers: InformerSet;
  readonly #missing: Map<string, WatchedKind>;
  readonly #problems: Map<string, string> = new Map();
  readonly #failures: Map<string, Readonly<Record<FailureReason, Counter>>>;

  constructor(options: WatchedKindsOptions) {
    this.#options = options;
    this.#informers = new InformerSet({ client: options.client, env: options.env });
    const kinds = options.kinds.filter((kind) => !CACHED_ANYWAY.has(resourceName(kind)));
    this.#missing = new Map(kinds.map((kind) => [resourceName(kind), kind]));
    this.#failures = new Map(kinds.map((kind) => [resourceName(kind), listFailures(options.env.meter, kind)]));
    for (const name of this.#missing.keys()) this.#problems.set(name, "the API server has not been asked for it yet");
  }

  informers(): Iterable<Informer> {
    return this.#informers;
  }

  /** Why there is no cache of a kind, by `resourceName`. */
  problems(): ReadonlyMap<string, string> {
    return this.#problems;
  }

  /** Whether what its controller has seen of this kind is measured by a cache of ours, whoever has another one. */
  measures(resource: Resource): boolean {
    const name = resourceName(resource);
    return this.#failures.has(name) && !JUDGED_IN_PART.has(name);
  }

  /** Resolves after the abort, when all caches have stopped. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    await Promise.all([this.#informers.run({ signal }), this.#lookForAll(signal)]);
  }

  async #lookForAll(signal: AbortSignal): Promise<void> {
    const { client, env } = this.#options;
    while (this.#missing.size > 0 && !signal.aborted) {
      try {
        const served = await client.discover(signal);
        for (const [name, kind] of this.#missing) this.#lookFor(name, kind, served);
      } catch (error) {
        if (signal.aborted) return;
        for (const name of this.#missing.keys()) this.#tell(name, reasonOf(error), messageOf(error));
      }
      if (this.#missing.size > 0) await sleep(env.clock, LOOK_AGAIN_MS, signal).catch(() => {}); // aborted: the loop ends
    }
  }

  #lookFor(name: string, kind: WatchedKind, served: readonly DiscoveredResource[]): void {
    const { namespaces } = this.#options;
    const found = served.find((other) => resourceName(other) === name);
    if (!found) {
      const { found: problem, remedy } = notServed(kind, served);
      return this.#tell(name, "not_found", `${problem}: ${remedy}`);
    }
    if (!found.verbs.includes("watch") || !found.verbs.includes("list")) {
      return this.#tell(name, "rejected", `the API server lets nobody list and watch ${name}: leave it out of --watch`);
    }
    const resource = keptOf(found);
    const scopes: Scope[] =
      found.namespaced && namespaces.length > 0 ? namespaces.map((namespace) => ({ namespace })) : [{}];
    const suffix = this.#mayBeJudged(found) ? ":metadata" : "";
    for (const scope of scopes) {
      this.#informers.get(resource, scope, cacheName(namespaces, scope.namespace) + suffix);
    }
    this.#missing.delete(name);
    this.#problems.delete(name);
  }

  /** Those that are judged have another cache, with more than their metadata, and no two of a kind may have one name. */
  #mayBeJudged(found: DiscoveredResource): boolean {
    const { parents = [], genericParents = false } = this.#options;
    if (JUDGED_IN_PART.has(resourceName(found)) || (genericParents && !isBuiltIn(found.group))) return true;
    return parents.some(({ resource }) => resourceName(resource) === resourceName(found));
  }

  /** Each time is counted; a line is logged when it is not the one before. */
  #tell(name: string, reason: FailureReason, problem: string): void {
    this.#failures.get(name)?.[reason].inc();
    if (this.#problems.get(name) === problem) return;
    this.#problems.set(name, problem);
    this.#options.env.log.warn("a kind of --watch is not cached", { kind: name, why: problem });
  }
}

/**
 * The metadata, and where a controller may write it, which generation of an object it has seen. Of that kind whole objects travel, and
 * the rest is dropped as they are read.
 */
function keptOf(found: DiscoveredResource): Resource {
  const isJudged = JUDGED_IN_PART.has(resourceName(found));
  return found.hasStatus && !isJudged ? defineResource({ ...found, keep: [OBSERVED_GENERATION] }) : metadataOf(found);
}
