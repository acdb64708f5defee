/** The part of a span that others can point at (W3C trace context: https://www.w3.org/TR/trace-context/). */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export interface SpanOptions {
  /** "consumer" for a pass (it takes work from a queue), "client" for a call to the API server, else "internal". */
  kind?: "internal" | "consumer" | "client";
  /** The span this one is part of; without it the span starts a trace of its own. */
  parent?: Span;
  links?: readonly SpanContext[];
  attributes?: Attributes;
  /** Wall time in milliseconds; now unless given. */
  startTime?: number;
}

export interface Span {
  /** Undefined when nothing records: there is nothing to link to. */
  readonly context: SpanContext | undefined;
  set(attributes: Attributes): void;
  link(context: SpanContext): void;
  /** Marks the span failed, with the error's one-line message. */
  fail(error: unknown): void;
  /** Ends it, now or at a wall time in milliseconds. A second call does nothing. */
  end(endTime?: number): void;
}

/** Where spans go. `enabled` is false when nothing listens, so that callers need not build attributes. */
export interface Tracer {
  readonly enabled: boolean;
  startSpan(name: string, options?: SpanOptions): Span;
}

const noopSpan: Span = { context: undefined, set() {}, link() {}, fail() {}, end() {} };

export const noopTracer: Tracer = { enabled: false, startSpan: () => noopSpan };
