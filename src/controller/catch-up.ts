import { isAbort, messageOf, sleep } from "../base/index.ts";
import { LagRequeue } from "../requeue/index.ts";
import { resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { CachedKind } from "./cached-kinds.ts";

export interface CatchUpOptions {
  readonly kinds: Iterable<CachedKind>;
  /** Told before each read. */
  readonly onRead: (kind: CachedKind) => void;
  readonly env: Env;
}

/**
 * Resolves once the caches show everything that was written before the call, whoever wrote it: a new leader must not act on what its
 * predecessor has changed since. Costs a consistent read a kind. A read that fails is made again; a cache that is not there within 5 s
 * is listed anew, since a kind at rest may bring no sign for a minute. Rejects with the signal's reason.
 */
export async function catchUp({ kinds, onRead, env }: CatchUpOptions, signal: AbortSignal): Promise<void> {
  const each = async (kind: CachedKind): Promise<void> => {
    const version = await readVersion(kind, onRead, env, signal);
    const late = env.clock.setTimer(() => kind.store.relist("verification"), LagRequeue.ms);
    try {
      await kind.store.whenAtVersion(version, signal);
    } finally {
      late.cancel();
    }
  };
  await Promise.all([...kinds].map(each));
}

async function readVersion(
  kind: CachedKind,
  onRead: CatchUpOptions["onRead"],
  env: Env,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    try {
      onRead(kind);
      return await kind.store.readVersion(signal);
    } catch (error) {
      if (isAbort(error, signal)) throw error;
      const fields = { resource: resourceName(kind.resource), error: messageOf(error) };
      env.log.warn("could not ask how far a cache must come; no pass begins yet", fields);
      await sleep(env.clock, LagRequeue.ms, signal);
    }
  }
}
