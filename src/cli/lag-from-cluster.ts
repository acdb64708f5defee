import { defined, formatDuration, isAbort, sleep, systemClock } from "../base/index.ts";
import { stopOnSignals } from "../controller/index.ts";
import type { CachesAnswer, CacheView } from "../http/index.ts";
import { loadCluster } from "../kube/index.ts";
import { LagLook, openTarget, type TargetSpec } from "../sidecar/index.ts";
import type { Context } from "./command.ts";
import type { Values } from "./settings/flag.ts";
import type { lagFlags } from "./settings/lag-flags.ts";
import type { Terminal } from "./terminal.ts";
import { stalewatchVersion } from "./version.ts";

const PROGRESS_EVERY_MS = 500;
/** An idle cache of a target moves at its next bookmark, and these come about once a minute. */
const KNOWS_IDLE_MS = 90_000;

/**
 * How stale caches are after a look of `--for` at a cluster and the targets, or until it is interrupted. Says on standard error of what
 * there are no caches. Errors: those of `loadCluster` and `LagLook`.
 */
export async function lagFromCluster(
  settings: Values<typeof lagFlags>,
  targets: readonly TargetSpec[],
  { terminal, signal = stopOnSignals() }: Context,
): Promise<CachesAnswer> {
  const { kubeconfig, context, watch } = settings;
  await using cluster = await loadCluster(defined({ kubeconfig, context }));
  const look = new LagLook({
    cluster,
    namespaces: settings["all-namespaces"] ? [] : settings.namespace,
    watch,
    probeIntervalMs: settings["probe-interval"],
    lagBudgetMs: settings["lag-budget"],
    targets: targets.map(openTarget),
    targetIntervalMs: settings["target-interval"],
    qps: settings["kube-api-qps"],
    burst: settings["kube-api-burst"],
    version: stalewatchVersion(),
  });
  const stop = new AbortController();
  const running = look.run({ signal: stop.signal });
  try {
    await Promise.race([running, wait(look, settings.for, terminal, signal)]);
    for (const problem of look.problems()) terminal.err(`stalewatch: ${problem}\n`);
    const answer = look.answer();
    if (settings.for < KNOWS_IDLE_MS && answer.caches.some(isNotYetKnown)) terminal.err(`stalewatch: ${LOOK_LONGER}\n`);
    return answer;
  } finally {
    stop.abort();
    await running.catch(() => {}); // told by the race
  }
}

const LOOK_LONGER =
  "the cache of an idle kind of a target is known after its next bookmark, within about a minute: --for 90s knows more";

/** There are bounds, but not from above: what can never be judged has none. */
function isNotYetKnown({ target, state, lagMinSeconds, lagMaxSeconds }: CacheView): boolean {
  return target !== "self" && state === "unknown" && lagMinSeconds !== null && lagMaxSeconds === null;
}

/** Until the time is up or the signal aborts, with a line that is written over and over for a person. */
async function wait(look: LagLook, forMs: number, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const until = systemClock.monotonic() + forMs;
  try {
    for (let leftMs = forMs; leftMs > 0; leftMs = until - systemClock.monotonic()) {
      if (terminal.interactive) terminal.err(`\r\u001b[K${progressOf(look, leftMs)}`);
      await sleep(systemClock, Math.min(leftMs, terminal.interactive ? PROGRESS_EVERY_MS : leftMs), signal);
    }
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  } finally {
    if (terminal.interactive) terminal.err("\r\u001b[K");
  }
}

function progressOf(look: LagLook, leftMs: number): string {
  const { caches } = look.answer();
  const known = caches.filter(({ state }) => state !== "unknown").length;
  return `watching for another ${formatDuration(Math.ceil(leftMs / 1_000) * 1_000)}: ${known} of ${caches.length} caches known`;
}
