import { messageOf } from "../base/index.ts";
import type { ListPage, WatchEvent } from "../kube/index.ts";
import {
  type DeepReadonly,
  isComparableVersion,
  keyOf,
  type KubeObject,
  type Resource,
  resourceName,
} from "../resources/index.ts";
import type { Log, LogFields } from "../telemetry/index.ts";
import type { Contents } from "./contents.ts";
import type { CacheCounters, Defect } from "./metrics.ts";

/** Things said aloud once are remembered up to here; a source of endless new defects is then only counted. */
const MOST_REMEMBERED = 1_000;

export interface IntakeOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly transform: ((object: DeepReadonly<T>) => DeepReadonly<T>) | undefined;
  readonly counters: CacheCounters;
  readonly log: Log;
}

/**
 * Where objects come in: looks at each once, before the queue. What is wrong with one is counted, said once, and costs no other.
 * Objects that could not be decoded (opaque) were counted and said where that was found, in kube/.
 */
export class Intake<T extends KubeObject> {
  readonly #options: IntakeOptions<T>;
  readonly #said: Set<string> = new Set();

  constructor(options: IntakeOptions<T>) {
    this.#options = options;
  }

  /** The event as the cache takes it; undefined when nobody can tell which object it is about. */
  event(event: WatchEvent<T>): WatchEvent<T> | undefined {
    if (event.type === "BOOKMARK") {
      this.#versioned(event.resourceVersion);
      return event;
    }
    if (!event.object || (event.type === "OPAQUE" && !event.change)) return undefined;
    this.#versioned(event.object.metadata.resourceVersion);
    if (event.type === "OPAQUE" || !this.#options.transform) return event;
    try {
      return { type: event.type, object: this.#options.transform(event.object) };
    } catch (thrown) {
      const { metadata } = event.object;
      const [key, why] = [keyOf(metadata), messageOf(thrown)];
      this.#defect("not_transformed", key, "the cache's transform threw; the metadata alone is kept", {
        key,
        error: why,
      });
      return { type: "OPAQUE", change: event.type, object: { metadata }, why };
    }
  }

  /** Puts a page of a list into the contents that are being built. */
  page(page: ListPage<T>, contents: Contents<T>): void {
    for (const object of page.items) this.collect({ type: "ADDED", object }, contents);
    for (const opaque of page.opaque ?? []) this.collect({ type: "OPAQUE", change: "ADDED", ...opaque }, contents);
  }

  /** Puts an initial event into the contents that are being built. False when nobody can tell which object it is about. */
  collect(event: WatchEvent<T>, contents: Contents<T>): boolean {
    const taken = this.event(event);
    if (!taken) return false;
    if (taken.type === "BOOKMARK" || !taken.object) return true;
    const why = taken.type === "OPAQUE" ? taken.why : undefined;
    contents.set(taken.object as DeepReadonly<T>, why);
    return true;
  }

  #versioned(version: string | undefined): void {
    if (version !== undefined && isComparableVersion(version)) return;
    const message = "resource versions of this kind are not numbers: nobody can tell how fresh the cache is";
    this.#defect("version_not_comparable", "", message, { resourceVersion: version });
  }

  #defect(defect: Defect, about: string, message: string, fields: LogFields = {}): void {
    const { counters, log, resource } = this.#options;
    counters.defects[defect].inc();
    const once = `${defect} ${about}`;
    if (this.#said.has(once) || this.#said.size >= MOST_REMEMBERED) return;
    this.#said.add(once);
    log.warn(message, { resource: resourceName(resource), ...fields });
  }
}
