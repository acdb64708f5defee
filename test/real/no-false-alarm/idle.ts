import { ControllerManager, eventually, pause, RealCluster, type Rule, Sidecar } from "../harness/index.ts";
import { EventRecord, type Kind, watchableKinds } from "../lag-proof/event-record.ts";
import { type Reading, Readings } from "../lag-proof/readings.ts";
import { targetFlags } from "../lag-proof/target-flags.ts";

/** The sidecar may not watch these, and the controller-manager has caches of them. */
export const FORBIDDEN: readonly string[] = ["secrets", "limitranges"];

const WATCH = ["--watch=batch/v1/cronjobs", "--watch=coordination.k8s.io/v1/leases", "--watch=v1/limitranges"];

export interface Idle {
  /** Each answer about each cache, ours and the controller-manager's, from the time on at which all had been confirmed. */
  readonly readings: readonly Reading[];
  /** Series of counters that count a watch that was opened anew or a list that was made again, and are not 0. */
  readonly restarts: readonly string[];
  /** Kinds of which the server had events, as group/version/resource. */
  readonly changed: readonly string[];
  /** Readiness at the end. */
  readonly ready: boolean;
}

/** A healthy kube-controller-manager with nothing to do, and a sidecar beside it, for so long. */
export async function watchIdle(seconds: number): Promise<Idle> {
  await using cluster = await RealCluster.start({ controllerManager: false });
  await using manager = await ControllerManager.start(cluster, { leaderElect: true });
  const kinds = await watchableKinds(cluster);
  const credentials = await cluster.user("stalewatch", rulesFor(kinds));
  await using sidecar = await Sidecar.start({
    kubeconfig: cluster.kubeconfig({ credentials }),
    args: [...targetFlags(cluster, manager), ...WATCH],
  });
  await using readings = new Readings(sidecar, 1_000);
  await eventually(
    "each cache that can be is confirmed",
    () => {
      const { latest } = readings;
      return latest.some(({ target }) => target !== "self") && latest.every(isFreshOrForbidden);
    },
    { timeoutMs: 100_000 },
  );
  await using events = await EventRecord.start(cluster, kinds);
  const from = Date.now();
  await pause(seconds * 1_000);
  const restarts = restartsOf(await sidecar.metrics());
  const ready = (await sidecar.readyz()).status === 200;
  await readings.stop();
  const changed = events.changed();
  await events.stop();
  return { readings: readings.between(from, Date.now()), restarts, changed, ready };
}

function isFreshOrForbidden({ state, resource }: Reading): boolean {
  return state === "fresh" || FORBIDDEN.includes(resource);
}

/** Everything may be watched, kind by kind, but what is forbidden. */
function rulesFor(kinds: readonly Kind[]): Rule[] {
  return kinds
    .filter(({ resource }) => !FORBIDDEN.includes(resource))
    .map(({ group, resource }) => ({ apiGroups: [group], resources: [resource], verbs: ["list", "watch"] }));
}

const RESTARTS = /^stalewatch_(watch_restarts|head_watch_restarts|relists)_total\{/;

/** The server ends each watch after some minutes: no restart. What is forbidden is asked for again and again. */
function restartsOf(page: string): string[] {
  return page
    .split("\n")
    .filter((line) => RESTARTS.test(line) && !line.endsWith(" 0") && !line.includes('reason="ended"'))
    .filter((line) => !FORBIDDEN.some((resource) => line.includes(`resource="${resource}"`)));
}
