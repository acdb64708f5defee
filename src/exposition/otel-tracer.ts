import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Span as OtelSpan, Tracer as OtelApiTracer } from "@opentelemetry/api";
import { type Clock, messageOf, systemClock } from "../base/index.ts";
import type { Attributes, Span, SpanContext, SpanOptions, Tracer } from "../telemetry/index.ts";

const kinds = { internal: SpanKind.INTERNAL, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const;

/** The attribute by which a root span says how its pass ended; "noop" is what is left out. */
const OUTCOME = "stalewatch.outcome";

/** A pass that changed nothing but took this long is worth a look, so it is kept. */
const SLOW_MS = 1_000;

/** Ended children that wait for their root's end. A root with more is kept whatever it did, so that memory stays bounded. */
const MOST_HELD = 256;

/** A larger difference between the two clocks means that somebody set the machine's time. */
const WALL_STEP_MS = 20;

export interface OtelTracerOptions {
  /** The tracer of a provider; that of the globally registered one unless given. */
  tracer?: OtelApiTracer;
  clock?: Clock;
  /** Also export passes that changed nothing (`--trace-noop`). */
  keepNoop?: boolean;
}

/**
 * Spans through the OpenTelemetry API, of whatever SDK is registered.
 *
 * Passes that changed nothing are most of all passes and are not exported, unless slow or failed. An SDK exports a span when it
 * ends, so the ends of a root's children are held until the root ends; then all end at their own times, or none ever does.
 */
export class OtelTracer implements Tracer {
  readonly enabled = true;
  readonly #tracer: OtelApiTracer;
  readonly #time: FineTime;
  readonly #keepNoop: boolean;

  constructor(options: OtelTracerOptions = {}) {
    this.#tracer = options.tracer ?? trace.getTracer("stalewatch");
    this.#time = new FineTime(options.clock ?? systemClock);
    this.#keepNoop = options.keepNoop ?? false;
  }

  startSpan(name: string, options: SpanOptions = {}): Span {
    const parent = options.parent instanceof RecordedSpan ? options.parent : undefined;
    const startTime = options.startTime ?? this.#time.now();
    const otel = this.#tracer.startSpan(
      name,
      {
        kind: kinds[options.kind ?? "internal"],
        links: (options.links ?? []).map((context) => ({ context })),
        startTime: hrTime(startTime),
      },
      parent ? trace.setSpan(ROOT_CONTEXT, parent.otel) : ROOT_CONTEXT,
    );
    const family = parent?.family ?? new SpanFamily(startTime, this.#keepNoop);
    const span = new RecordedSpan(otel, family, this.#time, parent === undefined);
    if (options.attributes) span.set(options.attributes);
    return span;
  }
}

/** A root and its descendants, exported or left out together. */
class SpanFamily {
  readonly #startTime: number;
  #held: { otel: OtelSpan; endTime: number }[] | undefined;
  #noop = false;
  #failed = false;
  #dropped = false;

  constructor(startTime: number, keepNoop: boolean) {
    this.#startTime = startTime;
    this.#held = keepNoop ? undefined : [];
  }

  get dropped(): boolean {
    return this.#dropped;
  }

  rootSet(attributes: Attributes): void {
    if (attributes[OUTCOME] !== undefined) this.#noop = attributes[OUTCOME] === "noop";
  }

  failed(): void {
    this.#failed = true;
  }

  childEnded(otel: OtelSpan, endTime: number): void {
    if (this.#dropped) return;
    if (!this.#held) return otel.end(hrTime(endTime));
    this.#held.push({ otel, endTime });
    if (this.#held.length > MOST_HELD) this.#release();
  }

  rootEnded(otel: OtelSpan, endTime: number): void {
    this.#dropped = this.#held !== undefined && this.#noop && !this.#failed && endTime - this.#startTime < SLOW_MS;
    if (this.#dropped) {
      this.#held = undefined;
      return;
    }
    this.#release();
    otel.end(hrTime(endTime));
  }

  #release(): void {
    for (const { otel, endTime } of this.#held ?? []) otel.end(hrTime(endTime));
    this.#held = undefined;
  }
}

class RecordedSpan implements Span {
  readonly otel: OtelSpan;
  readonly family: SpanFamily;
  readonly #time: FineTime;
  readonly #isRoot: boolean;
  readonly #sampled: boolean;
  #ended = false;

  constructor(otel: OtelSpan, family: SpanFamily, time: FineTime, isRoot: boolean) {
    this.otel = otel;
    this.family = family;
    this.#time = time;
    this.#isRoot = isRoot;
    this.#sampled = otel.isRecording();
  }

  /** Also undefined once its pass has been left out: what is observed after `end()` then names no trace that nobody can find. */
  get context(): SpanContext | undefined {
    return this.#sampled && !this.family.dropped ? this.otel.spanContext() : undefined;
  }

  set(attributes: Attributes): void {
    if (this.#ended) return;
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) this.otel.setAttribute(key, value);
    }
    if (this.#isRoot) this.family.rootSet(attributes);
  }

  link(context: SpanContext): void {
    if (!this.#ended) this.otel.addLink({ context });
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.otel.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
    this.otel.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
    this.family.failed();
  }

  end(endTime: number = this.#time.now()): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#isRoot) this.family.rootEnded(this.otel, endTime);
    else this.family.childEnded(this.otel, endTime);
  }
}

/** Wall time with the monotonic clock's resolution, since a child span is often shorter than the wall clock's millisecond. */
class FineTime {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  now(): number {
    const fine = this.#clock.monotonic() + this.#offset;
    const wall = this.#clock.now();
    if (Math.abs(wall - fine) < WALL_STEP_MS) return fine;
    this.#offset = wall - this.#clock.monotonic();
    return wall;
  }
}

/** Seconds and nanoseconds: a plain number before the process's start would be read as milliseconds since that start. */
function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.floor((ms - seconds * 1_000) * 1e6)];
}
