import { StalewatchError } from "../base/index.ts";
import type { LiveReader, Writer } from "../kube/index.ts";
import { LagRequeue, Requeue, type RequeueLedger } from "../requeue/index.ts";
import { type DeepReadonly, type KubeObject, refOf, type Resource } from "../resources/index.ts";
import type { Env, SpanContext } from "../telemetry/index.ts";
import type { QueueEntry } from "../workqueue/index.ts";
import type { CachedKinds } from "./cached-kinds.ts";
import type { ConsistencyGate } from "./consistency-gate.ts";
import type { ControllerMeters } from "./controller-meters.ts";
import type { ControllerOptions } from "./controller-options.ts";
import type { EventCauses } from "./event-causes.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { FallbackPass } from "./fallback-pass.ts";
import type { LostTriggers } from "./lost-triggers.ts";
import { PassCalls } from "./pass-calls.ts";
import type { PassEnd } from "./pass-end.ts";
import { PassLog } from "./pass-log.ts";
import { PassReader } from "./pass-reader.ts";
import { passSignal } from "./pass-signal.ts";
import { PassTrace } from "./pass-trace.ts";
import { RecordingPassWriter } from "./pass-writer.ts";
import type { Pass, Requeues } from "./pass.ts";
import type { StaleCache } from "./stale-waits.ts";
import { TerminalError } from "./terminal-error.ts";
import type { WriteOrigins } from "./write-origins.ts";

export interface PassRunnerOptions<T extends KubeObject, N extends string> {
  readonly controller: string;
  readonly resource: Resource<T>;
  readonly reconcile: ControllerOptions<T, N>["reconcile"];
  readonly gone: ControllerOptions<T, N>["gone"];
  readonly timeoutMs: number | undefined;
  readonly client: LiveReader & Writer;
  readonly kinds: CachedKinds;
  readonly gate: ConsistencyGate;
  readonly lostTriggers: LostTriggers;
  readonly ledger: RequeueLedger;
  readonly recorder: EventRecorder;
  readonly causes: EventCauses;
  readonly origins: WriteOrigins;
  readonly meters: ControllerMeters;
  readonly env: Env;
}

/** Makes passes of one controller: one call, one pass. Never throws: whatever goes wrong is how the pass ended. */
export class PassRunner<T extends KubeObject, N extends string> {
  readonly #options: PassRunnerOptions<T, N>;
  readonly #requeue: Requeues<N> = { after: (interval, delayMs) => Requeue.after(interval, delayMs) };
  readonly #cached: Pass["cached"];

  constructor(options: PassRunnerOptions<T, N>) {
    this.#options = options;
    this.#cached = (resource) => options.kinds.lister(resource);
  }

  /** `stop` aborts the pass's calls and refuses its further writes. Also gives the pass's trace, for what follows from it. */
  async run(entry: QueueEntry, stop: AbortSignal): Promise<{ end: PassEnd; span: SpanContext | undefined }> {
    const { controller, resource, kinds, causes, gate, lostTriggers, origins, meters, env } = this.#options;
    const { key } = entry;
    const startedAt = env.clock.monotonic();
    const failed = gate.hasUnanswered(key) ? await this.#learn(key, stop) : undefined;
    const own = kinds.require(resource);
    const object = own.lister.get(key) as DeepReadonly<T> | undefined;
    const fallback = lostTriggers.begin(entry);
    if (object) fallback?.read(own, object);
    const stale = failed ? [] : gate.staleFor(key, object?.metadata.uid);
    const skipped = failed || stale.length > 0 ? undefined : gate.ready(key);
    const led = causes.take(key);
    const trace = new PassTrace({
      tracer: env.tracer,
      origins,
      controller,
      resource,
      entry,
      skipped,
      causes: led,
      storeVersion: kinds.storeVersionOf(resource),
    });
    let end: PassEnd;
    if (failed) end = failed;
    else if (stale.length > 0) {
      // What led to the skipped pass leads to the one that will act.
      for (const cause of led) causes.note(key, cause.resource, cause.version);
      end = this.#skip(key, stale, trace);
    } else end = await this.#reconcile({ key, triggers: entry.triggers, object, fallback, stop, trace });
    const seconds = (env.clock.monotonic() - startedAt) / 1_000;
    trace.end(end, env.clock.now());
    // Only now is it known whether the trace is kept, and so worth an exemplar.
    meters.time.observe(seconds, trace.span.context);
    return { end, span: trace.span.context };
  }

  async #learn(key: string, stop: AbortSignal): Promise<PassEnd | undefined> {
    try {
      await this.#options.gate.learn(key, stop);
      return undefined;
    } catch (error) {
      return { outcome: "error", error };
    }
  }

  #skip(key: string, stale: readonly StaleCache[], trace: PassTrace): PassEnd {
    this.#options.gate.skip(key, { stale, span: trace.span.context, startSpan: (cache) => trace.startWait(cache) });
    const requeue = Requeue.after(LagRequeue);
    this.#options.ledger.asked(requeue);
    return { outcome: "skipped", stale, requeue };
  }

  async #reconcile(started: StartedPass<T>): Promise<PassEnd> {
    const { object, key } = started;
    try {
      if (object) return await this.#runUser({ ...started, object });
      this.#options.gate.clear(key, "");
      this.#options.lostTriggers.forget(key);
      this.#options.gone?.(refOf(key));
      return { outcome: "noop", requeue: undefined };
    } catch (error) {
      return { outcome: error instanceof TerminalError ? "terminal" : "error", error };
    }
  }

  async #runUser(started: FoundPass<T>): Promise<PassEnd> {
    const { object, stop, fallback, trace } = started;
    trace.found(object);
    const { meters, env, timeoutMs, ledger, reconcile } = this.#options;
    const { signal, end } = passSignal(stop, timeoutMs, { clock: env.clock, onTimeout: () => meters.timeouts.inc() });
    const { calls, write, pass } = this.#passFor(started, signal);
    try {
      const requeue = this.#checked(await reconcile(pass));
      if (requeue) ledger.asked(requeue);
      return write.changed ? { outcome: "changed", requeue, rescue: fallback?.rescue } : { outcome: "noop", requeue };
    } finally {
      calls.close();
      end();
    }
  }

  #passFor({ key, triggers, object, fallback, trace }: FoundPass<T>, signal: AbortSignal): RunningPass<T, N> {
    const { controller, resource, client, kinds, gate, recorder, origins, env } = this.#options;
    const { span } = trace;
    const calls = new PassCalls({ what: `controller ${controller} for ${key}`, tracer: env.tracer, span, signal });
    const write = new RecordingPassWriter<T>({
      client,
      calls,
      resource,
      object,
      cachedVersion: (written, ref) => kinds.versionOf(written, ref),
      sending: (written) => (env.tracer.enabled ? origins.sending(written) : undefined),
      wrote: (written, metadata) => {
        gate.wrote(object, written, metadata);
        origins.wrote(written, metadata.resourceVersion, span.context);
      },
      cachedUid: (gone, ref) => kinds.uidOf(gone, ref),
      deleted: (gone, ref, uid) => gate.deleted(object, gone, ref, uid),
      unanswered: (written) => gate.unanswered(object, written),
    });
    const pass: Pass<T, N> = {
      object,
      key,
      now: () => env.clock.now(),
      triggers,
      cached: fallback ? (asked) => fallback.lister(kinds.require(asked)) : this.#cached,
      live: new PassReader(client, calls),
      write,
      requeue: this.#requeue,
      event: (type, reason, message) => recorder.record({ resource, object }, type, reason, message),
      signal,
      span,
      log: new PassLog(env.log, { controller, key }),
    };
    return { calls, write, pass };
  }

  #checked(result: unknown): Requeue | undefined {
    if (result === undefined || result === null) return undefined;
    if (result instanceof Requeue) return result;
    throw new StalewatchError(
      "BAD_RESULT",
      `a reconcile of controller ${this.#options.controller} returned ${typeof result}`,
      "return requeue.after(interval), or nothing",
    );
  }
}

interface StartedPass<T extends KubeObject> extends Pick<QueueEntry, "key" | "triggers"> {
  readonly object: DeepReadonly<T> | undefined;
  readonly fallback: FallbackPass | undefined;
  readonly stop: AbortSignal;
  readonly trace: PassTrace;
}

type FoundPass<T extends KubeObject> = StartedPass<T> & { readonly object: DeepReadonly<T> };

interface RunningPass<T extends KubeObject, N extends string> {
  readonly calls: PassCalls;
  readonly write: RecordingPassWriter<T>;
  readonly pass: Pass<T, N>;
}
