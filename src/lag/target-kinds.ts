import { messageOf, oneLine } from "../base/index.ts";
import type { DiscoveredResource, KubeClient } from "../kube/index.ts";
import { metadataOf, type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { PublishedStore } from "./target-reading.ts";

type PublishedKind = Pick<PublishedStore, "group" | "version" | "resource">;

/** The kind that a target means, or why nothing can be said of it. */
export type FoundKind = { readonly resource: Resource } | { readonly why: string };

/** Kinds come and go with definitions; a kind that is not found is not worth more. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Finds the kinds that targets publish among those that the server serves. client-go makes up a plural for the label `resource`: the
 * kind in lower case with an "s" behind it. "networkpolicys" is found by its kind, NetworkPolicy, since no rule of English leads back.
 */
export class TargetKinds {
  readonly #client: Pick<KubeClient, "discover">;
  readonly #env: Env;
  #served: readonly DiscoveredResource[] = [];
  #problem: string | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(client: Pick<KubeClient, "discover">, env: Env) {
    this.#client = client;
    this.#env = env;
  }

  /** Asks the server what it serves, unless all of these are known or it was asked a moment ago. A failure is told by `find`. */
  async learn(kinds: readonly PublishedKind[], signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#env;
    if (kinds.every((kind) => isSecret(kind) || this.#match(kind)) || clock.monotonic() - this.#askedAt < LOOK_AGAIN_MS)
      return;
    this.#askedAt = clock.monotonic();
    try {
      this.#served = await this.#client.discover(signal);
      this.#problem = undefined;
    } catch (thrown) {
      if (signal.aborted) return;
      const problem = messageOf(thrown);
      if (problem !== this.#problem) log.warn("the kinds of targets cannot be looked up", { error: problem });
      this.#problem = problem;
    }
  }

  find(kind: PublishedKind): FoundKind {
    if (isSecret(kind)) return { why: "Secrets are not watched, by design" };
    const found = this.#match(kind);
    const name = oneLine(resourceName(kind));
    if (!found && this.#problem !== undefined)
      return { why: `the kinds of the API server are not known: ${this.#problem}` };
    if (!found) return { why: `the API server serves no kind ${name}, nor one of which that is client-go's plural` };
    const missing = ["list", "watch"].filter((verb) => !found.verbs.includes(verb));
    if (missing.length > 0) return { why: `nobody can ${missing.join(" or ")} ${resourceName(found)}` };
    return { resource: metadataOf(found) };
  }

  #match({ group, version, resource }: PublishedKind): DiscoveredResource | undefined {
    const candidates = this.#served.filter((served) => served.group === group && served.version === version);
    return (
      candidates.find((served) => served.resource === resource) ??
      candidates.find(({ kind }) => `${kind.toLowerCase()}s` === resource)
    );
  }
}

function isSecret({ group, resource }: PublishedKind): boolean {
  return group === "" && resource === "secrets";
}
