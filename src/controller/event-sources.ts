import type { Clock } from "../base/index.ts";
import type { InformerEvent, Lister } from "../cache/index.ts";
import { resolveController } from "../consistency/index.ts";
import { type DeepReadonly, keyOf, type KubeObject, type Resource } from "../resources/index.ts";
import { LOW_PRIORITY, type PriorityQueue, type TriggerKind } from "../workqueue/index.ts";
import type { CachedKind } from "./cached-kinds.ts";
import type { ConsistencyGate } from "./consistency-gate.ts";
import type { OwnedChange, Watch } from "./controller-options.ts";
import type { EventCauses } from "./event-causes.ts";

export interface EventSourcesOptions {
  readonly resource: Resource;
  readonly lister: Lister<KubeObject>;
  readonly queue: PriorityQueue;
  readonly gate: ConsistencyGate;
  /** Undefined: passes are about all objects of the kind. */
  readonly select: ((object: DeepReadonly<KubeObject>) => boolean) | undefined;
  readonly onOwned: ((change: OwnedChange) => void) | undefined;
  /** Undefined while nobody traces. */
  readonly causes: EventCauses | undefined;
  readonly clock: Clock;
}

/** Turns what happened in the caches into keys of the controller's queue. */
export class EventSources {
  readonly #options: EventSourcesOptions;

  constructor(options: EventSourcesOptions) {
    this.#options = options;
  }

  /** An object of the controller's own kind. */
  own(event: InformerEvent<KubeObject>): void {
    const { gate, resource, select } = this.#options;
    const key = keyOf(event.object.metadata);
    const { uid } = event.object.metadata;
    if (event.type === "delete") gate.clear(key, uid);
    if (event.type === "update" && event.old.metadata.uid !== uid) gate.clear(key, event.old.metadata.uid);
    if (select && !statesOf(event).some(select)) return;
    this.#add(key, resource, event);
  }

  /**
   * An object that may have one of ours as its controller; both are told when it has changed hands. A resync is left out: it
   * replays our own kind as well.
   */
  owned(resource: Resource, event: InformerEvent<KubeObject>): void {
    if (event.cause === "resync") return;
    const owners = new Set(statesOf(event).flatMap((object) => this.#ownerKey(object) ?? []));
    // Queued first: whatever the user's function throws, no trigger is lost. No pass begins before it has returned.
    for (const owner of owners) this.#add(owner, resource, event);
    for (const owner of owners) this.#options.onOwned?.({ resource, owner, event });
  }

  /** An object that the user's own function relates to ours. */
  watched({ resource, store, untold }: CachedKind, watch: Watch, event: InformerEvent<KubeObject>): void {
    if (event.cause === "resync") return;
    let keys: ReadonlySet<string> | undefined;
    try {
      keys = new Set(mapped(watch, event));
    } finally {
      untold.note(event, store.lastStoreSyncResourceVersion(), keys === undefined);
    }
    for (const key of keys) this.#add(key, resource, event);
  }

  /** An owner that is not cached yet will start a pass by its own event. */
  #ownerKey(object: DeepReadonly<KubeObject>): string | undefined {
    const owner = resolveController(object, this.#options);
    return owner && keyOf(owner.metadata);
  }

  #add(key: string, resource: Resource, event: InformerEvent<KubeObject>): void {
    const { queue, causes, clock } = this.#options;
    if (event.cause !== "resync") causes?.note(key, resource, event.object.metadata.resourceVersion);
    const { kind, priority } = triggerOf(event);
    queue.add(key, { trigger: { kind, at: clock.monotonic() }, priority });
  }
}

function statesOf(event: InformerEvent<KubeObject>): readonly DeepReadonly<KubeObject>[] {
  return event.type === "update" ? [event.object, event.old] : [event.object];
}

function* mapped(watch: Watch, event: InformerEvent<KubeObject>): Generator<string> {
  for (const object of statesOf(event)) for (const ref of watch.map(object)) yield keyOf(ref);
}

/** What a cache found only by listing again was missed by the watch: worth telling apart from an event. */
function triggerOf({ type, cause }: InformerEvent<KubeObject>): { kind: TriggerKind; priority: number } {
  if (cause === "resync") return { kind: "resync", priority: LOW_PRIORITY };
  if (cause === "relist") return { kind: "relist", priority: 0 };
  return { kind: type, priority: cause === "list" ? LOW_PRIORITY : 0 };
}
