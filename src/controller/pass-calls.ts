import { StalewatchError } from "../base/index.ts";
import type { CallOptions } from "../kube/index.ts";
import type { ObjectRef, Resource } from "../resources/index.ts";
import type { Span, Tracer } from "../telemetry/index.ts";
import { objectAttributes } from "./attributes.ts";

/**
 * The calls to the API server that one pass makes: each ends with the pass's signal and is a child of its span. Also remembers
 * which versions the pass has seen, since an answer at one of those is no change.
 */
export class PassCalls {
  readonly signal: AbortSignal;
  readonly #what: string;
  readonly #tracer: Tracer;
  readonly #span: Span;
  #seen: Set<string> | undefined;
  #over = false;

  constructor(options: { what: string; tracer: Tracer; span: Span; signal: AbortSignal }) {
    this.#what = options.what;
    this.#tracer = options.tracer;
    this.#span = options.span;
    this.signal = options.signal;
  }

  get span(): Span {
    return this.#span;
  }

  /** From now on writes are refused: nobody would account for them. */
  close(): void {
    this.#over = true;
  }

  /** Errors: `PASS_OVER`. */
  refuseWhenOver(): void {
    if (!this.#over && !this.signal.aborted) return;
    const why = this.#over ? "its reconcile has returned" : "it was told to stop";
    throw new StalewatchError(
      "PASS_OVER",
      `a write of ${this.#what} came after its pass was over (${why})`,
      "await every write, and stop when the pass's signal aborts",
      { cause: this.signal.reason },
    );
  }

  saw(resource: Resource, version: string | undefined): void {
    if (version) (this.#seen ??= new Set()).add(`${resource.group}/${resource.resource}@${version}`);
  }

  hasSeen(resource: Resource, version: string): boolean {
    return this.#seen?.has(`${resource.group}/${resource.resource}@${version}`) ?? false;
  }

  /** The caller's options with a signal that aborts when either the caller's or the pass's does. */
  options<O extends CallOptions>(options: O): O {
    const signal = options.signal ? AbortSignal.any([options.signal, this.signal]) : this.signal;
    return { ...options, signal };
  }

  /** Runs one call inside a child span. */
  async call<V>(verb: string, resource: Resource, ref: Partial<ObjectRef>, run: () => Promise<V>): Promise<V> {
    if (!this.#tracer.enabled) return run();
    const child = this.start(verb, resource, ref);
    try {
      return await run();
    } catch (thrown) {
      child.fail(thrown);
      throw thrown;
    } finally {
      child.end();
    }
  }

  start(verb: string, resource: Resource, ref: Partial<ObjectRef>): Span {
    return this.#tracer.startSpan(`${verb} ${resource.resource}`, {
      kind: "client",
      parent: this.#span,
      attributes: objectAttributes(resource, ref),
    });
  }
}
