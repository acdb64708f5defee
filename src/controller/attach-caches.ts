import { StalewatchError } from "../base/index.ts";
import type { HandlerRegistration, InformerEvent } from "../cache/index.ts";
import type { Scope } from "../kube/index.ts";
import { type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { SpanContext } from "../telemetry/index.ts";
import type { PriorityQueue } from "../workqueue/index.ts";
import { type CachedKind, CachedKinds, groupResourceOf } from "./cached-kinds.ts";
import { ConsistencyGate } from "./consistency-gate.ts";
import { type ControllerOptions, resourceOf, scopeOf, type Source } from "./controller-options.ts";
import type { EventCauses } from "./event-causes.ts";
import { EventSources } from "./event-sources.ts";
import type { ControllerHost, SharedCache } from "./managed-controller.ts";

export interface AttachOptions<T extends KubeObject, N extends string> {
  readonly controller: string;
  readonly options: ControllerOptions<T, N>;
  readonly host: ControllerHost;
  readonly queue: PriorityQueue;
  readonly causes: EventCauses;
  readonly onCaughtUp: (key: string, skipped: SpanContext | undefined) => void;
}

export interface AttachedCaches {
  readonly kinds: CachedKinds;
  readonly gate: ConsistencyGate;
  readonly registrations: readonly HandlerRegistration[];
}

type AttachedCache = CachedKind & { readonly cache: SharedCache };

/**
 * Takes the caches that a controller asks for, and makes their events its keys.
 * Errors: `BAD_CONTROLLER` when it asks for one kind with two scopes: its passes could not say which cache they mean.
 */
export function attachCaches<T extends KubeObject, N extends string>(attach: AttachOptions<T, N>): AttachedCaches {
  const { controller, options, host, queue } = attach;
  const { owns = [], watches = [] } = options;
  const taken = new Map<string, AttachedCache>();
  const take = (source: Source): AttachedCache => {
    const resource = resourceOf(source);
    const scope = scopeOf(source);
    const known = taken.get(groupResourceOf(resource));
    if (known) return sameScope(controller, known, scope);
    const cache = host.cacheOf(resource, scope);
    const attached = { resource, scope, lister: cache.lister, store: cache, cache };
    taken.set(groupResourceOf(resource), attached);
    return attached;
  };
  const main = take(options.for);
  for (const source of [...owns, ...watches.map(({ on }) => on)]) take(source);

  const kinds = new CachedKinds(controller, taken.values());
  const { env } = host;
  const enabled = host.waitsForOwnWrites(main.resource.kind);
  const gate = new ConsistencyGate({ controller, kinds, enabled, onCaughtUp: attach.onCaughtUp, env });
  const events = new EventSources({
    resource: main.resource,
    lister: main.lister,
    queue,
    gate,
    causes: env.tracer.enabled ? attach.causes : undefined,
    clock: env.clock,
  });
  const listen = (source: Source, handle: (event: InformerEvent<KubeObject>, resource: Resource) => void) => {
    const { cache, resource } = take(source);
    return cache.addHandler((event) => handle(event, resource));
  };
  for (const { cache } of taken.values()) cache.onRewind(() => gate.forgetAll());
  const registrations = [
    listen(options.for, (event) => events.own(event)),
    ...owns.map((source) => listen(source, (event, resource) => events.owned(resource, event))),
    ...watches.map((watch) => listen(watch.on, (event, resource) => events.watched(resource, watch, event))),
  ];
  return { kinds, gate, registrations };
}

function sameScope(controller: string, known: AttachedCache, scope: Scope): AttachedCache {
  const differs = (["namespace", "labelSelector", "fieldSelector"] as const).some(
    (part) => known.scope[part] !== scope[part],
  );
  if (!differs) return known;
  throw new StalewatchError(
    "BAD_CONTROLLER",
    `controller ${controller} asks for ${resourceName(known.resource)} with two scopes`,
    "give the kind one scope in for, owns and watches",
  );
}
