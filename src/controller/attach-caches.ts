import { StalewatchError } from "../base/index.ts";
import type { HandlerRegistration, InformerEvent } from "../cache/index.ts";
import type { Scope } from "../kube/index.ts";
import { type DeepReadonly, type KubeObject, resourceName } from "../resources/index.ts";
import type { SpanContext } from "../telemetry/index.ts";
import type { PriorityQueue } from "../workqueue/index.ts";
import { type CachedKind, CachedKinds, groupResourceOf } from "./cached-kinds.ts";
import { ConsistencyGate } from "./consistency-gate.ts";
import { type ControllerOptions, resourceOf, scopeOf, type Source } from "./controller-options.ts";
import type { EventCauses } from "./event-causes.ts";
import { EventSources } from "./event-sources.ts";
import type { ControllerHost } from "./managed-controller.ts";
import { UntoldChanges } from "./untold-changes.ts";

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
  /** Resolves when the first lists are in all of them. Rejects with the signal's reason, or when one stops before. */
  readonly whenFilled: (signal: AbortSignal) => Promise<unknown>;
  /** Lets the caches' events become keys: first everything that is in them, then every change. */
  readonly listen: () => readonly HandlerRegistration[];
}

/**
 * Takes the caches that a controller asks for. Their events become its keys once it listens: a queue that nobody works off would look
 * like one that is stuck.
 * Errors: `BAD_CONTROLLER` when it asks for one kind with two scopes: its passes could not say which cache they mean.
 */
export function attachCaches<T extends KubeObject, N extends string>(attach: AttachOptions<T, N>): AttachedCaches {
  const { controller, options, host, queue } = attach;
  const { owns = [], watches = [] } = options;
  const taken = new Map<string, CachedKind>();
  const take = (source: Source): CachedKind => {
    const resource = resourceOf(source);
    const scope = scopeOf(source);
    const known = taken.get(groupResourceOf(resource));
    if (known) return sameScope(controller, known, scope);
    const store = host.cacheOf(resource, scope);
    const kind = { resource, scope, lister: store.lister, store, untold: new UntoldChanges() };
    taken.set(groupResourceOf(resource), kind);
    return kind;
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
    select: options.select && ((object) => options.select?.(object as DeepReadonly<T>) === true),
    onOwned: options.onOwned && ((change) => options.onOwned?.(change)),
    causes: env.tracer.enabled ? attach.causes : undefined,
    clock: env.clock,
  });
  const follow = (source: Source, handle: (event: InformerEvent<KubeObject>, kind: CachedKind) => void) => {
    const kind = take(source);
    return kind.store.addHandler((event) => handle(event, kind));
  };
  for (const { store } of taken.values()) store.onRewind(() => gate.forgetAll());
  const listen = (): readonly HandlerRegistration[] => [
    follow(options.for, (event) => events.own(event)),
    ...owns.map((source) => follow(source, (event, { resource }) => events.owned(resource, event))),
    ...watches.map((watch) => follow(watch.on, (event, kind) => events.watched(kind, watch, event))),
  ];
  const whenFilled = (signal: AbortSignal): Promise<unknown> =>
    Promise.all([...taken.values()].map(({ store }) => store.whenSynced(signal)));
  return { kinds, gate, whenFilled, listen };
}

function sameScope(controller: string, known: CachedKind, scope: Scope): CachedKind {
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
