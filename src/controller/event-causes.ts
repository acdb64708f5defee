import type { Resource } from "../resources/index.ts";
import type { SpanContext } from "../telemetry/index.ts";
import type { WriteOrigins } from "./write-origins.ts";

/** A version whose event is part of why a key runs. */
export interface EventCause {
  readonly resource: Resource;
  readonly version: string;
}

/** A pass links to no more spans than a queue entry keeps triggers. */
const MOST_CAUSES = 32;

/**
 * The events merged into each key since it last ran, so that its next pass can link to the passes whose writes caused them. Kept
 * apart from the queue's triggers because a watch often tells of a write before the write's own answer has come: whose it was is
 * asked when the pass begins, when it ends, and once the writes that were then on their way have been answered. Only filled while
 * somebody traces.
 */
export class EventCauses {
  readonly #causes: Map<string, EventCause[]> = new Map();

  note(key: string, resource: Resource, version: string): void {
    const causes = this.#causes.get(key);
    if (!causes) this.#causes.set(key, [{ resource, version }]);
    else if (causes.length < MOST_CAUSES) causes.push({ resource, version });
  }

  /** What was noted for `key`; it is forgotten here. */
  take(key: string): readonly EventCause[] {
    const causes = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    return causes;
  }
}

/** The links of one pass: each span once. */
export class PassLinks {
  readonly #origins: WriteOrigins;
  readonly #linked: Set<string> = new Set();
  #unresolved: readonly EventCause[];

  constructor(origins: WriteOrigins, causes: readonly EventCause[]) {
    this.#origins = origins;
    this.#unresolved = causes;
  }

  /** Those of `spans` and of the causes whose writers are known by now that have not been given before. */
  next(spans: Iterable<SpanContext | undefined> = []): SpanContext[] {
    const writers = this.#unresolved.map(({ resource, version }) => this.#origins.of(resource, version));
    this.#unresolved = this.#unresolved.filter((_, at) => writers[at] === undefined);
    const found: SpanContext[] = [];
    for (const span of [...spans, ...writers]) {
      if (!span || this.#linked.has(span.spanId)) continue;
      this.#linked.add(span.spanId);
      found.push(span);
    }
    return found;
  }

  /** Resolves when it is worth asking `next` once more; undefined when no answer to come can tell more. */
  pending(): Promise<unknown> | undefined {
    const kinds = new Set(this.#unresolved.map(({ resource }) => resource));
    const answers = [...kinds].flatMap((resource) => this.#origins.answersTo(resource) ?? []);
    return answers.length > 0 ? Promise.all(answers) : undefined;
  }
}
