import { messageOf } from "../base/index.ts";
import { isNotFound, type Writer } from "../kube/index.ts";
import {
  apiVersionOf,
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type Resource,
  resourceName,
  resources,
} from "../resources/index.ts";
import { type Counter, type Env, resolveEnv } from "../telemetry/index.ts";
import { BoundedMap } from "./bounded-map.ts";
import { EventSpamFilter } from "./event-spam-filter.ts";
import { eventsTotal, type EventResult } from "./metrics.ts";
import { untilAborted } from "./until-aborted.ts";

export type EventType = "Normal" | "Warning";

export interface EventRecorderOptions {
  client: Pick<Writer, "create" | "patch">;
  /** Who tells: the event's source, as `kubectl describe` shows it under From. */
  component: string;
  env?: Partial<Env>;
}

/** One kind of thing that happened to one object, however often. */
interface Occurrence {
  readonly key: string;
  readonly regarding: { readonly resource: Resource; readonly object: DeepReadonly<KubeObject> };
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly firstAt: number;
  lastAt: number;
  count: number;
  /** The Event object that says so already. */
  stored: { namespace: string; name: string } | undefined;
}

/** client-go remembers as many. */
const REMEMBERED_EVENTS = 4_096;
/** Events waiting to be sent; more are dropped and counted. */
const LONGEST_BACKLOG = 1_000;
/** The API server refuses longer ones. */
const LONGEST_MESSAGE = 1_024;

/**
 * Writes core/v1 Events about objects, for people who run `kubectl describe`. Identical ones become one Event with a count.
 *
 * `record` returns at once and never fails: events are told on the side, and one that cannot be written is logged and counted.
 * Does not promise that every event is written: an object that floods is held to 25 and then one in five minutes.
 */
export class EventRecorder {
  readonly #client: Pick<Writer, "create" | "patch">;
  readonly #component: string;
  readonly #env: Env;
  readonly #filter: EventSpamFilter;
  readonly #known: BoundedMap<string, Occurrence> = new BoundedMap(REMEMBERED_EVENTS);
  readonly #backlog: Set<Occurrence> = new Set();
  readonly #counters: Readonly<Record<EventResult, Counter>>;
  #pump: Promise<void> | undefined;

  constructor({ client, component, env }: EventRecorderOptions) {
    this.#client = client;
    this.#component = component;
    this.#env = resolveEnv(env);
    this.#filter = new EventSpamFilter(this.#env.clock);
    const total = this.#env.meter.counter(eventsTotal);
    const counter = (result: EventResult): Counter => total.labels({ controller: component, result });
    this.#counters = {
      created: counter("created"),
      merged: counter("merged"),
      rate_limited: counter("rate_limited"),
      dropped: counter("dropped"),
      failed: counter("failed"),
    };
  }

  /** Tells that `reason` (CamelCase, for machines) happened to `object`; `message` is for people. */
  record(
    regarding: { resource: Resource; object: DeepReadonly<KubeObject> },
    type: EventType,
    reason: string,
    message: string,
  ): void {
    const about = `${resourceName(regarding.resource)} ${keyOf(regarding.object.metadata)} ${regarding.object.metadata.uid}`;
    if (!this.#filter.allows(about)) return this.#counters.rate_limited.inc();
    const text = message.slice(0, LONGEST_MESSAGE);
    const key = JSON.stringify([about, type, reason, text]);
    const now = this.#env.clock.now();
    const occurrence = this.#known.get(key) ?? {
      key,
      regarding,
      type,
      reason,
      message: text,
      firstAt: now,
      lastAt: now,
      count: 0,
      stored: undefined,
    };
    if (this.#backlog.size >= LONGEST_BACKLOG && !this.#backlog.has(occurrence)) return this.#counters.dropped.inc();
    occurrence.count += 1;
    occurrence.lastAt = now;
    this.#known.set(key, occurrence);
    this.#backlog.add(occurrence);
    this.#pump ??= this.#drain();
  }

  /** Resolves when everything recorded so far has been written or given up; rejects with the signal's reason. */
  async flush(signal?: AbortSignal): Promise<void> {
    await untilAborted(Promise.resolve(this.#pump), signal);
  }

  async #drain(): Promise<void> {
    for (const occurrence of this.#backlog) {
      this.#backlog.delete(occurrence);
      try {
        await this.#write(occurrence);
      } catch (thrown) {
        this.#counters.failed.inc();
        this.#env.log.warn("event not written", {
          object: keyOf(occurrence.regarding.object.metadata),
          reason: occurrence.reason,
          error: messageOf(thrown),
        });
      }
    }
    this.#pump = undefined;
  }

  async #write(occurrence: Occurrence): Promise<void> {
    if (occurrence.stored && (await this.#merged(occurrence, occurrence.stored))) return;
    const draft = this.#draftOf(occurrence);
    const { namespace } = draft.metadata;
    const { metadata } = await this.#client.create(resources.events, draft);
    occurrence.stored = { namespace, name: metadata.name };
    this.#counters.created.inc();
  }

  /** False when the Event is gone: the API server keeps events for an hour. */
  async #merged(occurrence: Occurrence, stored: { namespace: string; name: string }): Promise<boolean> {
    const body = { count: occurrence.count, lastTimestamp: timeOf(occurrence.lastAt) };
    try {
      await this.#client.patch(resources.events, stored, { type: "merge", body });
    } catch (thrown) {
      if (isNotFound(thrown)) return false;
      throw thrown;
    }
    this.#counters.merged.inc();
    return true;
  }

  #draftOf(occurrence: Occurrence): EventDraft {
    const { resource, object } = occurrence.regarding;
    const { name, namespace = "", uid, resourceVersion } = object.metadata;
    const unique = `${this.#env.clock.now().toString(16)}${Math.floor(this.#env.random() * 2 ** 32).toString(16)}`;
    return {
      metadata: { name: `${name.slice(0, 252 - unique.length)}.${unique}`, namespace: namespace || "default" },
      involvedObject: {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        namespace,
        name,
        uid,
        resourceVersion,
      },
      type: occurrence.type,
      reason: occurrence.reason,
      message: occurrence.message,
      firstTimestamp: timeOf(occurrence.firstAt),
      lastTimestamp: timeOf(occurrence.lastAt),
      count: occurrence.count,
      source: { component: this.#component },
      reportingComponent: this.#component,
    };
  }
}

interface EventDraft {
  metadata: { name: string; namespace: string };
  [field: string]: unknown;
}

/** metav1.Time has whole seconds. */
function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
