import { type KubeObject, type DeepReadonly, refOf, type Resource, resourceName } from "../resources/index.ts";
import type { Attributes, Span, SpanContext, Tracer } from "../telemetry/index.ts";
import type { QueueEntry } from "../workqueue/index.ts";
import { objectAttributes } from "./attributes.ts";
import { type EventCause, PassLinks } from "./event-causes.ts";
import type { PassEnd } from "./pass-end.ts";
import type { StaleCache } from "./stale-waits.ts";
import { traceparentOf, type WriteOrigins } from "./write-origins.ts";

export interface PassTraceOptions {
  readonly tracer: Tracer;
  readonly origins: WriteOrigins;
  readonly controller: string;
  readonly resource: Resource;
  readonly entry: QueueEntry;
  readonly causes: readonly EventCause[];
  /** The pass for this key that was skipped before, if any. */
  readonly skipped: SpanContext | undefined;
  /** Of the cache of the controller's kind. */
  readonly storeVersion: string;
}

/** The trace of one pass: a root span, with links to what led to it. Costs nothing worth naming while nobody traces. */
export class PassTrace {
  readonly span: Span;
  readonly #tracer: Tracer;
  readonly #resource: Resource;
  readonly #links: PassLinks | undefined;

  constructor(options: PassTraceOptions) {
    const { tracer, controller, resource, entry } = options;
    this.#tracer = tracer;
    this.#resource = resource;
    const name = `${controller} reconcile`;
    if (!tracer.enabled) {
      this.span = tracer.startSpan(name);
      return;
    }
    this.#links = new PassLinks(options.origins, options.causes);
    this.span = tracer.startSpan(name, {
      kind: "consumer",
      links: this.#links.next([options.skipped, ...entry.triggers.map(({ span }) => span)]),
      attributes: { ...objectAttributes(resource, refOf(entry.key)), ...entryAttributes(options) },
    });
  }

  /** What only the object says: its uid, and the trace that its writer left on it. */
  found(object: DeepReadonly<KubeObject>): void {
    if (!this.#links) return;
    this.span.set(objectAttributes(this.#resource, object.metadata));
    for (const link of this.#links.next([traceparentOf(object)])) this.span.link(link);
  }

  /** A child span for the time until a cache has caught up; it outlives the pass. */
  startWait(cache: StaleCache): Span {
    const { missing } = cache;
    const attributes = {
      "stalewatch.resource": resourceName(cache.resource),
      "stalewatch.wait.version": "version" in missing ? missing.version : undefined,
      "stalewatch.wait.deleted_uid": "deletedUid" in missing ? missing.deletedUid : undefined,
    };
    return this.#tracer.startSpan(`wait for ${cache.resource.resource}`, { parent: this.span, attributes });
  }

  /** `now` is wall time in milliseconds. */
  end(end: PassEnd, now: number): void {
    const { span } = this;
    const links = this.#links;
    if (!links) return span.end(now);
    span.set(endAttributes(end));
    if ("error" in end) span.fail(end.error);
    const finish = (): void => {
      for (const link of links.next()) span.link(link);
      span.end(now);
    };
    const answers = links.pending();
    if (answers) void answers.then(finish);
    else finish();
  }
}

function entryAttributes({ controller, entry, storeVersion }: PassTraceOptions): Attributes {
  return {
    "stalewatch.controller": controller,
    "stalewatch.triggers": entry.triggers.map(({ kind, interval }) => (interval ? `${kind}(${interval})` : kind)),
    "stalewatch.queue.wait_seconds": entry.queueMs / 1_000,
    "stalewatch.queue.priority": entry.priority,
    "stalewatch.store.version": storeVersion,
  };
}

function endAttributes(end: PassEnd): Attributes {
  const requeue = "requeue" in end ? end.requeue : undefined;
  return {
    "stalewatch.outcome": end.outcome,
    "stalewatch.requeue.interval": requeue?.interval.name,
    "stalewatch.requeue.delay_seconds": requeue && requeue.delayMs / 1_000,
    "stalewatch.rescue": "rescue" in end && end.rescue ? true : undefined,
    "stalewatch.stale": "stale" in end ? end.stale.map(({ resource }) => resourceName(resource)) : undefined,
  };
}
