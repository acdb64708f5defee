import { type Clock, defined, sleep } from "../../base/index.ts";
import { isNotFound, type ListerWatcher } from "../../kube/index.ts";
import { type Resource, resourceName } from "../../resources/index.ts";

/** A kind may be installed at any time. */
const LOOK_AGAIN_MS = 60_000;

export interface WhenServedOptions {
  readonly client: Pick<ListerWatcher, "list">;
  readonly clock: Clock;
  /** Kinds that may not be there; of all others it is taken for granted that they are. */
  readonly kinds: readonly Resource[];
  readonly namespace: string | undefined;
}

/**
 * For a manager's `startWhen`: resolves when the API server serves the kind, whatever else it may refuse. One small list a minute until
 * then. Rejects with the signal's reason.
 */
export function whenServed(options: WhenServedOptions): (resource: Resource, signal: AbortSignal) => Promise<void> {
  const { client, clock, namespace } = options;
  const unsure = new Set(options.kinds.map(resourceName));
  return async (resource, signal) => {
    if (!unsure.has(resourceName(resource))) return;
    while (!(await isServed(client, resource, { signal, namespace }))) await sleep(clock, LOOK_AGAIN_MS, signal);
  };
}

async function isServed(
  client: Pick<ListerWatcher, "list">,
  resource: Resource,
  { signal, namespace }: { signal: AbortSignal; namespace: string | undefined },
): Promise<boolean> {
  try {
    for await (const _ of client.list(resource, { limit: 1, signal, ...defined({ namespace }) })) break;
    return true;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return !isNotFound(thrown);
  }
}
