import type { DeepReadonly, KubeObject, Resource } from "../resources/index.ts";
import type { SpanContext } from "../telemetry/index.ts";
import { BoundedMap } from "./bounded-map.ts";

/** About 1.5 MB when full. An event older than this many writes loses its link, nothing else. */
const REMEMBERED_WRITES = 10_000;

/** On any object, the trace that its writer was in: https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = "tracing.k8s.io/traceparent";

/**
 * Which pass wrote which version, so that the pass which that write causes can link back to it. Shared by the controllers of a
 * manager. Holds the last writes only, and only while somebody traces.
 */
export class WriteOrigins {
  readonly #origins: BoundedMap<string, SpanContext> = new BoundedMap(REMEMBERED_WRITES);
  readonly #sent: Map<string, Set<Promise<void>>> = new Map();

  /** A write is on its way. Call what this returns when it has been answered, after `wrote`. */
  sending({ group, resource }: Resource): () => void {
    const kind = `${group}/${resource}`;
    const sent = this.#sent.get(kind) ?? new Set();
    this.#sent.set(kind, sent);
    const { promise, resolve } = Promise.withResolvers<void>();
    sent.add(promise);
    return () => {
      sent.delete(promise);
      resolve();
    };
  }

  /** Resolves when the writes of this kind that are on their way now have been answered; undefined when there are none. */
  answersTo({ group, resource }: Resource): Promise<unknown> | undefined {
    const sent = this.#sent.get(`${group}/${resource}`);
    return sent && sent.size > 0 ? Promise.all(sent) : undefined;
  }

  wrote(resource: Resource, version: string, span: SpanContext | undefined): void {
    if (span) this.#origins.set(originKey(resource, version), span);
  }

  /** The span whose write made this version, if it is one of ours. */
  of(resource: Resource, version: string): SpanContext | undefined {
    return this.#origins.get(originKey(resource, version));
  }
}

function originKey({ group, resource }: Resource, version: string): string {
  return `${group}/${resource}@${version}`;
}

/** The trace that an object's `tracing.k8s.io/traceparent` annotation names; undefined without one or when it is not well-formed. */
export function traceparentOf(object: DeepReadonly<KubeObject>): SpanContext | undefined {
  const value = object.metadata.annotations?.[TRACEPARENT];
  const match = value && /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(value);
  if (!match) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = match;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
