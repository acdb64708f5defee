import { defined } from "../base/index.ts";
import type { InformerStatus } from "../cache/index.ts";
import { Manager, type ManagedController } from "../controller/index.ts";
import { type Findings, jobsController } from "../jobs/index.ts";
import type { KubeClient } from "../kube/index.ts";
import type { Env } from "../telemetry/index.ts";
import { cacheName } from "./cache-name.ts";
import type { SidecarOptions } from "./sidecar-options.ts";

/** An API server may be away for as long as it likes: the caches fill when it is back. */
const NO_DEADLINE = Number.POSITIVE_INFINITY;

/** The `controller` label of the passes over Jobs. With several namespaces each has its own, as long as such a name may be. */
function nameFor(namespace: string, index: number): string {
  const name = `jobs-${namespace}`;
  return name.length <= 63 ? name : `jobs-${index + 1}`;
}

/** One manager, or one for each of several namespaces: where one may not be read, the others go on. */
export function jobsManagers(
  options: SidecarOptions,
  parts: { client: KubeClient; findings: Findings; env: Env },
): readonly Manager[] {
  const { namespaces = [], controllers = [], concurrency, limits, syncPeriodMs, featureGates } = options;
  const { client, findings, env } = parts;
  const manage = (managed: readonly ManagedController[], namespace?: string): Manager =>
    new Manager({
      controllers: managed,
      client,
      cacheName: cacheName(namespaces, namespace),
      env,
      cacheSyncTimeoutMs: NO_DEADLINE,
      ...defined({ syncPeriod: syncPeriodMs, featureGates }),
    });
  const manageJobs = (namespace: string | undefined, name: string, others: readonly ManagedController[]): Manager => {
    const seenUntil = (): number => contactUntil(manager.status().caches, env.clock.now());
    const jobs = jobsController({ findings, name, seenUntil, env, ...defined({ namespace, concurrency, limits }) });
    const manager = manage([jobs, ...others], namespace);
    return manager;
  };
  if (namespaces.length <= 1) return [manageJobs(namespaces[0], "jobs", controllers)];
  const each = namespaces.map((namespace, index) => manageJobs(namespace, nameFor(namespace, index), []));
  return controllers.length > 0 ? [...each, manage(controllers)] : each;
}

/** Until when all of these caches are known to have heard what there was to hear. */
function contactUntil(caches: readonly InformerStatus[], now: number): number {
  return Math.min(now, ...caches.map(({ state, lastContactAt = now }) => (state === "watching" ? now : lastContactAt)));
}
