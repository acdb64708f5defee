import { parseDuration, StalewatchError } from "../base/index.ts";
import { builtInIntervals, type Interval, uniqueIntervals } from "../requeue/index.ts";
import { keyOf, type KubeObject, type ObjectRef, type Resource } from "../resources/index.ts";
import { ControllerRun } from "./controller-run.ts";
import { type ControllerOptions, resourceOf } from "./controller-options.ts";
import type { AttachedController, ControllerHost, ManagedController } from "./managed-controller.ts";

/**
 * Keeps the objects of one kind as they ask to be: a pass over an object whenever it, or an object that it owns, has changed.
 *
 * Promises: at most `concurrency` passes at once and never two for one object; every change seen by a cache is followed by a pass
 * that begins after it; a pass begins only when the caches show what earlier passes for this object wrote. Does not promise a
 * pass per change: they merge. Run by a `Manager`, which gives it caches and a client.
 */
export class Controller<T extends KubeObject, N extends string = never> implements ManagedController {
  readonly name: string;
  readonly resource: Resource<T>;
  /** Its own and the built-in ones. */
  readonly intervals: readonly Interval[];
  readonly #options: ControllerOptions<T, N>;
  readonly #concurrency: number;
  readonly #timeoutMs: number | undefined;
  #run: ControllerRun<T, N> | undefined;

  /**
   * `name` is the controller's label in every metric. Errors: `BAD_CONTROLLER` for a name, concurrency or timeout that cannot be
   * used; `BAD_INTERVAL` when two intervals have one name.
   */
  constructor(name: string, options: ControllerOptions<T, N>) {
    this.name = name;
    this.resource = resourceOf(options.for);
    this.intervals = uniqueIntervals([...builtInIntervals, ...(options.intervals ?? [])]);
    this.#options = options;
    this.#concurrency = options.concurrency ?? 1;
    const { reconcileTimeout } = options;
    this.#timeoutMs = typeof reconcileTimeout === "string" ? parseDuration(reconcileTimeout) : reconcileTimeout;
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
      throw new StalewatchError("BAD_CONTROLLER", `"${name}" cannot name a controller`, "use a-z, 0-9 and -, up to 63");
    }
    if (!Number.isSafeInteger(this.#concurrency) || this.#concurrency < 1) {
      throw new StalewatchError(
        "BAD_CONTROLLER",
        `controller ${name} has concurrency ${this.#concurrency}`,
        "give 1 or more",
      );
    }
    if (this.#timeoutMs !== undefined && !(this.#timeoutMs > 0)) {
      throw new StalewatchError(
        "BAD_CONTROLLER",
        `controller ${name} has reconcileTimeout ${reconcileTimeout}`,
        'give "30s"',
      );
    }
  }

  /** Starts a pass for one object although nothing has changed. Errors: `NOT_RUNNING` before a manager runs the controller. */
  enqueue(ref: ObjectRef): void {
    if (!this.#run)
      throw new StalewatchError("NOT_RUNNING", `controller ${this.name} is not run yet`, "run its manager");
    this.#run.enqueue(keyOf(ref));
  }

  attach(host: ControllerHost): AttachedController {
    if (this.#run) {
      throw new StalewatchError("BAD_CONTROLLER", `controller ${this.name} was run before`, "make another one");
    }
    this.#run = new ControllerRun<T, N>({
      name: this.name,
      options: this.#options,
      intervals: this.intervals,
      concurrency: this.#concurrency,
      timeoutMs: this.#timeoutMs,
      host,
    });
    return this.#run;
  }
}
