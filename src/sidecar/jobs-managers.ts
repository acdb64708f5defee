import { defined } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import { Manager, type ManagerOptions } from "../controller/index.ts";
import { type Findings, jobsController } from "../jobs/index.ts";
import type { KubeClient } from "../kube/index.ts";
import type { DeepReadonly, Job } from "../resources/index.ts";
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

export interface ManagerParts {
  readonly client: KubeClient;
  readonly findings: Findings;
  /** Told of each pass over a Job. */
  readonly onPass?: (job: DeepReadonly<Job>) => void;
  readonly env: Env;
}

/** One manager, or one for each of several namespaces: where one may not be read, the others go on. */
export function jobsManagers(options: SidecarOptions, parts: ManagerParts): readonly Manager[] {
  const { namespaces = [], concurrency, limits } = options;
  const { findings, onPass, env } = parts;
  const manageJobs = (namespace: string | undefined, name: string): Manager => {
    const seenUntil = (): number => contactUntil(manager.informers(), env.clock.now());
    const jobs = jobsController({
      findings,
      name,
      seenUntil,
      env,
      ...defined({ namespace, concurrency, limits, onPass }),
    });
    const manager = manage(options, parts, { controllers: [jobs], cacheName: cacheName(namespaces, namespace) });
    return manager;
  };
  if (namespaces.length <= 1) return [manageJobs(namespaces[0], "jobs")];
  return namespaces.map((namespace, index) => manageJobs(namespace, nameFor(namespace, index)));
}

/** The controllers that run beside, if there are any: on caches of their own, which may hold another part of a kind. */
export function controllersManager(options: SidecarOptions, parts: ManagerParts): Manager | undefined {
  const { controllers = [] } = options;
  return controllers.length > 0 ? manage(options, parts, { controllers, cacheName: "controllers" }) : undefined;
}

function manage(
  { syncPeriodMs, featureGates }: SidecarOptions,
  { client, env }: ManagerParts,
  managed: Pick<ManagerOptions, "controllers" | "cacheName">,
): Manager {
  const given = defined({ syncPeriod: syncPeriodMs, featureGates });
  return new Manager({ ...managed, client, env, cacheSyncTimeoutMs: NO_DEADLINE, ...given });
}

/** Until when all of these caches are known to have heard what there was to hear. */
function contactUntil(caches: Iterable<Informer>, now: number): number {
  let until = now;
  for (const cache of caches) {
    const { state, lastContactAt = now } = cache.status();
    if (state !== "watching") until = Math.min(until, lastContactAt);
  }
  return until;
}
