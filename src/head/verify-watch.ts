import type { ListerWatcher, Scope, WatchEvent } from "../kube/index.ts";
import type { KubeObject, Resource } from "../resources/index.ts";

/** Long enough for the bookmark that closes a watch about two seconds before its end. */
const TIMEOUT_SECONDS = 4;

export interface Verification {
  readonly client: ListerWatcher;
  readonly resource: Resource;
  readonly scope: Scope;
  readonly from: bigint;
  readonly signal: AbortSignal;
}

/**
 * A second, short watch beside the one that is under suspicion, from the same version. Hands on what it brings and returns the
 * version of its last event, or 0 without one. Its silence proves nothing: some kinds send no bookmarks.
 */
export async function verifyWatch(
  { client, resource, scope, from, signal }: Verification,
  take: (event: WatchEvent<KubeObject>) => bigint,
): Promise<bigint> {
  let seen = 0n;
  const options = { ...scope, resourceVersion: String(from), timeoutSeconds: TIMEOUT_SECONDS, signal };
  for await (const chunk of client.watch(resource, options)) {
    if (signal.aborted) break;
    for (const event of chunk) {
      const version = take(event);
      if (event.type !== "BOOKMARK") seen = version;
    }
  }
  return seen;
}
