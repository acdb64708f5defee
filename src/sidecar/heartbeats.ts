import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Informer } from "../cache/index.ts";
import type { LeaderElector } from "../election/index.ts";
import type { HeadSet } from "../head/index.ts";
import type { HealthCheck, HeartbeatView } from "../http/index.ts";
import type { KubeClient, Scope } from "../kube/index.ts";
import { Heartbeat, HEARTBEAT_NAME, jobHeartbeat, leaseHeartbeat, STALLED_AFTER_MS } from "../lag/index.ts";
import { type DeepReadonly, isHeartbeat, type KubeObject, type Resource, resources } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { WatchedKind } from "./sidecar-options.ts";

export interface HeartbeatsOptions {
  readonly client: KubeClient;
  readonly heads: HeadSet;
  /** All of our own. */
  readonly informers: () => readonly Informer[];
  /** Whose Jobs are watched; all when empty. */
  readonly namespaces: readonly string[];
  readonly watch: readonly WatchedKind[];
  /** Where the objects are kept. */
  readonly namespace: string;
  readonly intervalMs: number;
  /** Where there is one, only while it leads anything is written. */
  readonly elector: LeaderElector | undefined;
  readonly env: Env;
}

/** The heartbeats of a sidecar: a Lease and a Job in its own namespace. */
export class Heartbeats {
  readonly #beats: readonly Heartbeat[];
  readonly #elector: LeaderElector | undefined;
  #runs = false;

  constructor(options: HeartbeatsOptions) {
    const { client, heads, informers, namespace, intervalMs, elector, env } = options;
    this.#elector = elector;
    const shared = {
      client,
      namespace,
      intervalMs,
      // Not from env's random numbers: two processes that were given the same ones must differ.
      holder: elector?.identity ?? `${hostname()}_${randomUUID()}`,
      beforeSend: () => elector?.requireLeadership(),
      env,
    };
    const placesOf = (resource: Resource) => ({
      head: heads.get(resource, headScope(resource, options), true),
      heads: () => heads.of(resource),
      caches: () => informers().filter((informer) => holds(informer, resource, namespace)),
    });
    this.#beats = [
      new Heartbeat({ ...shared, ...placesOf(resources.jobs), kind: jobHeartbeat, reconciles: true }),
      new Heartbeat({ ...shared, ...placesOf(resources.leases), kind: leaseHeartbeat, reconciles: false }),
    ];
  }

  /** Resolves after the abort, once the objects are gone. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    this.#runs = true;
    await Promise.all(this.#beats.map((beat) => beat.run({ signal })));
  }

  /** A pass has seen this Job. */
  passed(job: DeepReadonly<KubeObject>): void {
    const { name, namespace, resourceVersion } = job.metadata;
    if (name !== HEARTBEAT_NAME || !isHeartbeat(job)) return;
    for (const beat of this.#beats) {
      if (beat.resource === resources.jobs && beat.namespace === namespace) beat.reconciled(resourceVersion);
    }
  }

  /** See `Heartbeat.stalledAfterMs`. */
  stalledAfterMs({ group, resource }: Resource): number {
    const beat = this.#beats.find((other) => other.resource.group === group && other.resource.resource === resource);
    return beat?.stalledAfterMs() ?? STALLED_AFTER_MS;
  }

  views(): readonly HeartbeatView[] {
    return this.#beats.map((beat) => {
      const { answeredAt, lost, ...state } = this.#statusOf(beat);
      const { group, version, resource } = beat.resource;
      const at = answeredAt === undefined ? null : new Date(answeredAt).toISOString();
      return {
        group,
        version,
        resource,
        namespace: beat.namespace,
        name: HEARTBEAT_NAME,
        ...state,
        answeredAt: at,
        lost,
      };
    });
  }

  /** They never fail: what they tell is told by `?verbose`. */
  checks(): readonly HealthCheck[] {
    return this.#beats.map((beat) => ({
      name: `heartbeat-${beat.resource.resource}`,
      check: () => {
        const { state, reason, remedy } = this.#statusOf(beat);
        const why = [state, reason, remedy].filter((part) => part !== undefined).join(": ");
        return { ok: true, reason: state === "beating" && reason === undefined ? undefined : why };
      },
    }));
  }

  #statusOf(beat: Heartbeat): ReturnType<Heartbeat["status"]> {
    const status = beat.status();
    if (!this.#elector || this.#runs) return status;
    const remedy = "nothing: the replica that leads writes the heartbeats";
    return { ...status, state: "standby", reason: "another replica leads, or none yet", remedy };
  }
}

/** The scope of the cache that holds the object, so that one watch serves both; else the object alone, for which rights may be limited. */
function headScope(resource: Resource, { namespaces, watch, namespace }: HeartbeatsOptions): Scope {
  const isCached =
    resource === resources.jobs ||
    watch.some((kind) => kind.group === resource.group && kind.resource === resource.resource);
  if (isCached && namespaces.length === 0) return {};
  if (isCached && namespaces.includes(namespace)) return { namespace };
  return { namespace, fieldSelector: `metadata.name=${HEARTBEAT_NAME}` };
}

function holds({ resource, scope }: Informer, { group, resource: plural }: Resource, namespace: string): boolean {
  if (resource.group !== group || resource.resource !== plural) return false;
  if (scope.labelSelector !== undefined || scope.fieldSelector !== undefined) return false;
  return scope.namespace === undefined || scope.namespace === namespace;
}
