import { type Clock, defined, sleep } from "../../base/index.ts";
import { type DiscoveredResource, isNotFound, type KubeClient } from "../../kube/index.ts";
import { type Resource, resourceName } from "../../resources/index.ts";

/** A kind may be installed at any time. */
const LOOK_AGAIN_MS = 60_000;
/** After a look that told nothing: a server that is away, or too busy, is no server without the kind. */
const TRY_AGAIN_MS = 5_000;

export interface WhenServedOptions {
  readonly client: Pick<KubeClient, "list" | "discover">;
  readonly clock: Clock;
  /** Kinds that may not be there; of all others it is taken for granted that they are. */
  readonly kinds: readonly Resource[];
}

type StartWhen = (resource: Resource, signal: AbortSignal) => Promise<void> | undefined;

/**
 * For the `startWhen` of a manager of this namespace, or of all: resolves when the API server is known to serve the kind, whatever else it
 * may refuse. One small list a minute until then, and one discovery for all namespaces where lists are refused. Rejects with the signal's
 * reason.
 */
export function whenServed({ client, clock, kinds }: WhenServedOptions): (namespace: string | undefined) => StartWhen {
  const unsure = new Set(kinds.map(resourceName));
  const discovery = new SharedDiscovery(client, clock);
  return (namespace) => {
    const found = async (resource: Resource, signal: AbortSignal): Promise<void> => {
      const scope = resource.namespaced ? defined({ namespace }) : {};
      for (;;) {
        const served = await isServed({ client, discovery, resource, where: { ...scope, signal } });
        if (served) return;
        await sleep(clock, served === undefined ? TRY_AGAIN_MS : LOOK_AGAIN_MS, signal);
      }
    };
    return (resource, signal) => (unsure.has(resourceName(resource)) ? found(resource, signal) : undefined);
  };
}

interface Look {
  readonly client: WhenServedOptions["client"];
  readonly discovery: SharedDiscovery;
  readonly resource: Resource;
  readonly where: { readonly namespace?: string; readonly signal: AbortSignal };
}

/** Undefined: nobody knows. */
async function isServed({ client, discovery, resource, where }: Look): Promise<boolean | undefined> {
  try {
    for await (const _page of client.list(resource, { ...where, limit: 1 })) break;
    return true;
  } catch (thrown) {
    if (where.signal.aborted) throw thrown;
    // Rights are looked at first, kinds after that: who may not list a kind is not told whether there is one.
    return isNotFound(thrown) ? false : await discovery.has(resource, where.signal);
  }
}

/** What the API server serves, asked no more often than it is looked for. */
class SharedDiscovery {
  readonly #client: Pick<KubeClient, "discover">;
  readonly #clock: Clock;
  #served: Promise<readonly DiscoveredResource[]> | undefined;
  #goodUntil = 0;

  constructor(client: Pick<KubeClient, "discover">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Undefined: it could not be asked. */
  async has(resource: Resource, signal: AbortSignal): Promise<boolean | undefined> {
    const now = this.#clock.monotonic();
    if (!this.#served || now >= this.#goodUntil) {
      this.#served = this.#client.discover(signal);
      this.#goodUntil = now + LOOK_AGAIN_MS;
    }
    try {
      const served = await this.#served;
      return served.some((other) => resourceName(other) === resourceName(resource));
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      this.#goodUntil = Math.min(this.#goodUntil, now + TRY_AGAIN_MS);
      return undefined;
    }
  }
}
