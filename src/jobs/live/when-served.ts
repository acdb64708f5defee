import { type Clock, defined, sleep } from "../../base/index.ts";
import { isForbidden, isNotFound, type KubeClient } from "../../kube/index.ts";
import { type Resource, resourceName } from "../../resources/index.ts";

/** A kind may be installed at any time. */
const LOOK_AGAIN_MS = 60_000;

export interface WhenServedOptions {
  readonly client: Pick<KubeClient, "list" | "discover">;
  readonly clock: Clock;
  /** Kinds that may not be there; of all others it is taken for granted that they are. */
  readonly kinds: readonly Resource[];
  readonly namespace: string | undefined;
}

/**
 * For a manager's `startWhen`: resolves when the API server serves the kind, whatever else it may refuse. One small list a minute until
 * then. Rejects with the signal's reason.
 */
export function whenServed(
  options: WhenServedOptions,
): (resource: Resource, signal: AbortSignal) => Promise<void> | undefined {
  const { client, clock, kinds, namespace } = options;
  const unsure = new Set(kinds.map(resourceName));
  const found = async (resource: Resource, signal: AbortSignal): Promise<void> => {
    const scope = resource.namespaced ? defined({ namespace }) : {};
    while (!(await isServed(client, resource, { ...scope, signal }))) await sleep(clock, LOOK_AGAIN_MS, signal);
  };
  return (resource, signal) => (unsure.has(resourceName(resource)) ? found(resource, signal) : undefined);
}

async function isServed(
  client: WhenServedOptions["client"],
  resource: Resource,
  where: { readonly namespace?: string; readonly signal: AbortSignal },
): Promise<boolean> {
  try {
    for await (const _page of client.list(resource, { ...where, limit: 1 })) break;
    return true;
  } catch (thrown) {
    if (where.signal.aborted) throw thrown;
    // Rights are looked at first, kinds after that: who may not list a kind is not told whether there is one.
    return isForbidden(thrown) ? await isDiscovered(client, resource, where.signal) : !isNotFound(thrown);
  }
}

async function isDiscovered(
  client: WhenServedOptions["client"],
  resource: Resource,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const served = await client.discover(signal);
    return served.some((other) => resourceName(other) === resourceName(resource));
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return true; // nobody knows: its cache then says what it may not do
  }
}
