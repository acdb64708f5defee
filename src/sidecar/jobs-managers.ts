import { defined } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import { Manager, type ManagerOptions } from "../controller/index.ts";
import {
  addedKinds,
  type EvidenceReader,
  type Findings,
  judges,
  OwnerKinds,
  type ParentRules,
  whenServed,
} from "../jobs/index.ts";
import type { KubeClient } from "../kube/index.ts";
import { type DeepReadonly, type Job, type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { cacheName } from "./cache-name.ts";
import type { SidecarOptions } from "./sidecar-options.ts";

/** An API server may be away for as long as it likes: the caches fill when it is back. */
const NO_DEADLINE = Number.POSITIVE_INFINITY;

/** The `controller` label of the passes over a kind. With several namespaces each has its own, as long as such a name may be. */
function nameFor(plural: string, namespace: string, index: number): string {
  const name = `${plural}-${namespace}`;
  return name.length <= 63 ? name : `${plural}-${index + 1}`;
}

export interface ManagerParts {
  readonly client: KubeClient;
  readonly findings: Findings;
  readonly evidence: EvidenceReader;
  /** Told of each pass over a Job. */
  readonly onPass?: (job: DeepReadonly<Job>) => void;
  readonly env: Env;
}

/** Whoever judges one namespace, or all. */
export interface JobsManager {
  readonly manager: Manager;
  /** Finds more kinds to judge; only where those are asked for. */
  readonly owners: OwnerKinds | undefined;
}

/** One manager, or one for each of several namespaces: where one may not be read, the others go on. */
export function jobsManagers(options: SidecarOptions, parts: ManagerParts): readonly JobsManager[] {
  const { namespaces = [], concurrency, limits, parents = [], genericParents = false } = options;
  const { client, findings, evidence, onPass, env } = parts;
  const startWhenIn = whenServed({ client, clock: env.clock, kinds: addedKinds(parents) });
  const manageJobs = (namespace: string | undefined, nameOf: (plural: string) => string): JobsManager => {
    const found = (rules: ParentRules): void => manager.add(judging.ofParents(rules));
    const owners = genericParents ? new OwnerKinds({ client, namespace, known: parents, found, env }) : undefined;
    const informers = (): Iterable<Informer> => manager.informers();
    const judging = judges({
      findings,
      evidence,
      informers,
      nameOf,
      seenUntil: (kinds) => contactUntil(informers(), kinds, env.clock.now()),
      env,
      parents,
      onPass: (job) => {
        owners?.see(job);
        onPass?.(job);
      },
      ...defined({ namespace, concurrency, limits }),
    });
    const { controllers } = judging;
    const startWhen = startWhenIn(namespace);
    const named = { controllers, cacheName: cacheName(namespaces, namespace), independent: true, startWhen };
    const manager = manage(options, parts, named);
    return { manager, owners };
  };
  if (namespaces.length <= 1) return [manageJobs(namespaces[0], (plural) => plural)];
  return namespaces.map((namespace, index) => manageJobs(namespace, (plural) => nameFor(plural, namespace, index)));
}

/** Its caches (of one kind, if given), without those of kinds that nobody has installed. */
export function informersOf(manager: Manager, kind?: string): readonly Informer[] {
  return [...manager.informers()].filter(
    (informer) => isOfKind(informer, kind) && informer.status().state !== "starting",
  );
}

/** By `resourceName`. */
export function isOfKind({ resource }: Informer, kind: string | undefined): boolean {
  return kind === undefined || resourceName(resource) === kind;
}

/** The controllers that run beside, if there are any: on caches of their own, which may hold another part of a kind. */
export function controllersManager(
  options: SidecarOptions,
  parts: Pick<ManagerParts, "client" | "env">,
): Manager | undefined {
  const { controllers = [] } = options;
  return controllers.length > 0 ? manage(options, parts, { controllers, cacheName: "controllers" }) : undefined;
}

function manage(
  { syncPeriodMs, featureGates }: SidecarOptions,
  { client, env }: Pick<ManagerParts, "client" | "env">,
  managed: Pick<ManagerOptions, "controllers" | "cacheName" | "independent" | "startWhen">,
): Manager {
  const given = defined({ syncPeriod: syncPeriodMs, featureGates });
  return new Manager({ ...managed, client, env, cacheSyncTimeoutMs: NO_DEADLINE, ...given });
}

/** Until when the caches of these kinds are known to have heard what there was to hear. */
function contactUntil(caches: Iterable<Informer>, kinds: readonly Resource[], now: number): number {
  let until = now;
  for (const cache of caches) {
    if (!kinds.some((kind) => resourceName(kind) === resourceName(cache.resource))) continue;
    const { state, lastContactAt = now } = cache.status();
    if (state !== "watching") until = Math.min(until, lastContactAt);
  }
  return until;
}
