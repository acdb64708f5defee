import { messageOf } from "../base/index.ts";
import type { HandlerRegistration } from "../cache/index.ts";
import { isConflict } from "../kube/index.ts";
import { type Interval, RequeueLedger } from "../requeue/index.ts";
import { type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { SpanContext } from "../telemetry/index.ts";
import { PriorityQueue, type QueueEntry, type TriggerKind } from "../workqueue/index.ts";
import { attachCaches } from "./attach-caches.ts";
import type { CachedKinds } from "./cached-kinds.ts";
import type { ConsistencyGate } from "./consistency-gate.ts";
import { type ControllerMeters, controllerMeters } from "./controller-meters.ts";
import { type ControllerOptions, resourceOf, type Sweep } from "./controller-options.ts";
import { EventCauses } from "./event-causes.ts";
import { EventRecorder } from "./event-recorder.ts";
import type { Rescue } from "./fallback-pass.ts";
import { LostTriggers } from "./lost-triggers.ts";
import type { AttachedController, ControllerHost, ControllerStatus } from "./managed-controller.ts";
import { PassCounts } from "./pass-counts.ts";
import type { PassEnd } from "./pass-end.ts";
import { PassRunner } from "./pass-runner.ts";
import { Sweeper } from "./sweeper.ts";
import { isPanic } from "./terminal-error.ts";

/** Passes that never wait would keep the event loop to themselves; after this long the others have a turn. */
const SLICE_MS = 10;

export interface ControllerRunOptions<T extends KubeObject, N extends string> {
  readonly name: string;
  readonly options: ControllerOptions<T, N>;
  readonly intervals: readonly Interval[];
  readonly concurrency: number;
  readonly timeoutMs: number | undefined;
  readonly host: ControllerHost;
}

/** One controller at work: its queue, its workers, and what each pass's end means for the queue. */
export class ControllerRun<T extends KubeObject, N extends string> implements AttachedController {
  readonly #name: string;
  readonly #resource: Resource;
  readonly #concurrency: number;
  readonly #host: ControllerHost;
  readonly #queue: PriorityQueue;
  readonly #ledger: RequeueLedger;
  readonly #gate: ConsistencyGate;
  readonly #meters: ControllerMeters;
  readonly #counts: PassCounts;
  readonly #recorder: EventRecorder;
  readonly #runner: PassRunner<T, N>;
  readonly #whenFilled: (signal: AbortSignal) => Promise<unknown>;
  readonly #listen: () => readonly HandlerRegistration[];
  readonly #sweeper: Sweeper | undefined;
  readonly #stop: AbortController = new AbortController();
  readonly #running: Map<string, number> = new Map();
  #registrations: readonly HandlerRegistration[] = [];

  constructor({ name, options, intervals, concurrency, timeoutMs, host }: ControllerRunOptions<T, N>) {
    const { env, client, origins } = host;
    const resource = resourceOf(options.for);
    this.#name = name;
    this.#resource = resource;
    this.#concurrency = concurrency;
    this.#host = host;
    this.#ledger = new RequeueLedger(name, intervals, env.meter);
    this.#meters = controllerMeters(name, concurrency, env.meter);
    this.#counts = new PassCounts(this.#meters);
    this.#recorder = new EventRecorder({ client, component: name, env });
    this.#queue = new PriorityQueue({
      name,
      env,
      onSuperseded: (_key, { trigger }) => this.#ledger.superseded(trigger.interval),
      onDropped: (_key, { trigger }) => this.#ledger.dropped(trigger.interval),
    });
    const causes = new EventCauses();
    const { kinds, gate, whenFilled, listen } = attachCaches({
      controller: name,
      options,
      host,
      queue: this.#queue,
      causes,
      onCaughtUp: (key, skipped) => this.#wake(key, "caught_up", skipped),
    });
    this.#gate = gate;
    this.#whenFilled = whenFilled;
    this.#listen = listen;
    this.#sweeper = this.#sweeperFor(options, kinds);
    this.#runner = new PassRunner({
      controller: name,
      resource,
      reconcile: (pass) => options.reconcile(pass),
      gone: (ref) => options.gone?.(ref),
      timeoutMs,
      client,
      kinds,
      gate,
      lostTriggers: new LostTriggers(kinds.all(), (interval) => this.#ledger.isWait(interval)),
      ledger: this.#ledger,
      recorder: this.#recorder,
      causes,
      origins,
      meters: this.#meters,
      env,
    });
  }

  enqueue(key: string): void {
    this.#wake(key, "manual", undefined);
  }

  whenFilled(signal: AbortSignal): Promise<unknown> {
    return this.#whenFilled(signal);
  }

  catchUp(signal: AbortSignal): Promise<void> {
    return this.#gate.catchUp(signal);
  }

  async work(): Promise<void> {
    this.#registrations = this.#listen();
    const workers = Array.from({ length: this.#concurrency }, () => this.#worker());
    await Promise.all([...workers, this.#sweeper?.run(this.#stop.signal)]);
  }

  drain(): void {
    for (const registration of this.#registrations) registration.remove();
    const { waiting } = this.#queue.status();
    this.#queue.shutDown();
    this.#gate.stop();
    this.#sweeper?.stop();
    if (waiting > 0)
      this.#host.env.log.info("stopped with keys waiting for their time", { controller: this.#name, waiting });
  }

  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  flush(): Promise<void> {
    return this.#recorder.flush();
  }

  status(): ControllerStatus {
    return {
      name: this.#name,
      resource: this.#resource,
      concurrency: this.#concurrency,
      queue: this.#queue.status(),
      running: [...this.#running].map(([key, startedAt]) => ({ key, startedAt })),
      sweeping: this.#sweeper?.sweeping ?? false,
      waiting: this.#queue.waiting(),
      waitingForCache: this.#gate.waiting,
      waitsForOwnWrites: this.#gate.enabled,
      passes: { ...this.#counts.outcomes },
      intervals: this.#ledger.accounts(),
      rescues: { ...this.#counts.rescues },
      lastError: this.#counts.lastError,
    };
  }

  #sweeperFor(options: ControllerOptions<T, N>, kinds: CachedKinds): Sweeper | undefined {
    const { client, sweepPeriodMs: periodMs, env } = this.#host;
    if (!options.sweep || periodMs === 0) return undefined;
    const sweep = (given: Sweep): Promise<void> | void => options.sweep?.(given);
    const cached: Sweep["cached"] = (resource) => kinds.lister(resource);
    const reach = { cached, live: client, write: client };
    return new Sweeper({ controller: this.#name, sweep, periodMs, reach, env });
  }

  async #worker(): Promise<void> {
    const { clock } = this.#host.env;
    let sliceEndsAt = clock.monotonic() + SLICE_MS;
    for (;;) {
      const entry = this.#queue.tryGet() ?? (await this.#queue.get());
      if (!entry) return;
      await this.#pass(entry);
      if (clock.monotonic() < sliceEndsAt) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceEndsAt = clock.monotonic() + SLICE_MS;
    }
  }

  async #pass(entry: QueueEntry): Promise<void> {
    const startedAt = this.#host.env.clock.monotonic();
    this.#running.set(entry.key, startedAt);
    this.#meters.active.add(1);
    this.#counts.began(entry.triggers);
    if (entry.requeue) this.#ledger.fired(entry.requeue.trigger.interval, startedAt - entry.requeue.dueAt);
    try {
      const { end, span } = await this.#runner.run(entry, this.#stop.signal);
      this.#counts.ended(entry.key, end, this.#host.env.clock.now());
      this.#settle(entry, end, span);
    } finally {
      this.#meters.active.add(-1);
      this.#running.delete(entry.key);
      this.#queue.done(entry.key);
    }
  }

  /** A skip is no success and no failure: the count of failures stays as it is. */
  #settle({ key, priority }: QueueEntry, end: PassEnd, span: SpanContext | undefined): void {
    if (end.outcome === "error") {
      const retryInMs = this.#queue.addRateLimited(key, { priority, trigger: this.#trigger("retry", span) });
      return this.#logFailure(key, end.error, { retryInMs });
    }
    if (end.outcome !== "skipped") this.#queue.forget(key);
    if (end.outcome === "terminal") return this.#logFailure(key, end.error, { terminal: true });
    if (end.outcome === "changed" && end.rescue) this.#rescued(key, end.rescue);
    if (!end.requeue) return;
    const { delayMs, interval } = end.requeue;
    this.#queue.addAfter(key, delayMs, {
      priority,
      trigger: { ...this.#trigger("requeue", span), interval: interval.name },
    });
  }

  #wake(key: string, kind: TriggerKind, span: SpanContext | undefined): void {
    this.#queue.add(key, { trigger: this.#trigger(kind, span) });
  }

  #trigger(kind: TriggerKind, span: SpanContext | undefined): QueueEntry["triggers"][number] {
    return { kind, at: this.#host.env.clock.monotonic(), ...(span && { span }) };
  }

  #rescued(key: string, { trigger, interval, change }: Rescue): void {
    this.#ledger.rescued(interval);
    const by = interval === undefined ? trigger : `${trigger} (${interval})`;
    const missed = `${resourceName(change.resource)} ${change.key} at version ${change.version}`;
    const message = "a pass acted on a change that had not started it: its trigger was lost";
    this.#host.env.log.warn(message, { controller: this.#name, key, by, missed });
  }

  /** A conflict is everyday life: somebody else was first, and the retry sees what they wrote. */
  #logFailure(key: string, error: unknown, more: { retryInMs?: number; terminal?: boolean }): void {
    const { log } = this.#host.env;
    const fields = { controller: this.#name, key, error: messageOf(error), ...more };
    if (isConflict(error)) log.info("pass met a conflict", fields);
    else if (isPanic(error) && error instanceof Error) log.error("pass failed", { ...fields, stack: error.stack });
    else log.error("pass failed", fields);
  }
}
