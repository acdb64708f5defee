import type { Lister } from "../cache/index.ts";
import {
  compareVersions,
  controllerOf,
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectRef,
  type Resource,
} from "../resources/index.ts";
import type { CachedKind } from "./cached-kinds.ts";
import type { UntoldChange } from "./untold-changes.ts";

/** What starts a pass although nothing is known to have happened. */
export type FallbackTrigger = "resync" | "requeue";

/** A lost trigger that a pass has repaired, if it acts. */
export interface Rescue {
  readonly trigger: FallbackTrigger;
  /** Of the wait that fired. */
  readonly interval: string | undefined;
  /** The change that was in a cache when the pass began, and had not started it. */
  readonly change: { readonly resource: Resource; readonly key: string; readonly version: string };
}

/** A cache, and between which two of its versions a change would have gone unnoticed. */
export interface Window {
  readonly kind: CachedKind;
  /** When the pass before this one began. */
  readonly after: string;
  /** When this pass began. Whatever is later has put the key into the queue again. */
  readonly upTo: string;
}

/**
 * A pass that nothing but a resync or a wait has started, and what it reads from the caches. No event has put its key into the queue
 * since the pass before it began: a change since then that this one reads is one whose trigger was lost.
 *
 * What counts as read: its own object, and what is asked for by name, by owner or by label. A whole list is no sign that each of
 * its objects matters; there only a change counts whose map threw.
 */
export class FallbackPass {
  readonly #started: Omit<Rescue, "change">;
  readonly #windows: ReadonlyMap<CachedKind, Window>;
  #change: Rescue["change"] | undefined;

  constructor(started: Omit<Rescue, "change">, windows: Iterable<Window>) {
    this.#started = started;
    this.#windows = new Map([...windows].map((window) => [window.kind, window]));
  }

  /** With the first change read whose trigger was lost; undefined before there is one. */
  get rescue(): Rescue | undefined {
    return this.#change && { ...this.#started, change: this.#change };
  }

  read(kind: CachedKind, object: DeepReadonly<KubeObject>): void {
    const window = this.#windows.get(kind);
    if (window) this.#judge(window, object, object.metadata.resourceVersion);
  }

  /** The same objects, with an eye on which are asked for. */
  lister<T extends KubeObject>(kind: CachedKind): Lister<T> {
    const lister = kind.lister as Lister<T>;
    const window = this.#windows.get(kind);
    if (!window) return lister;
    const narrow = <R extends readonly DeepReadonly<T>[]>(found: R, wasOne: (gone: UntoldChange) => boolean): R => {
      for (const object of found) this.read(kind, object);
      this.#look(window, (change) => change.gone && wasOne(change));
      return found;
    };
    return {
      get: (ref) => {
        const object = lister.get(ref);
        const found = narrow(
          object ? [object] : [],
          (gone) => object === undefined && keyOf(gone.object.metadata) === keyIn(ref),
        );
        return found[0];
      },
      ownedBy: (owner) => {
        const uid = typeof owner === "string" ? owner : owner.metadata.uid;
        return narrow(lister.ownedBy(owner), ({ object }) => controllerOf(object)?.uid === uid);
      },
      byLabel: (label, value) =>
        narrow(lister.byLabel(label, value), ({ object }) => object.metadata.labels?.[label] === value),
      list: (namespace) => {
        const inScope = ({ metadata }: DeepReadonly<KubeObject>): boolean =>
          namespace === undefined || metadata.namespace === namespace;
        this.#look(window, ({ threw, object }) => threw && inScope(object));
        return lister.list(namespace);
      },
      unreadable: (ref) => lister.unreadable(ref),
    };
  }

  #look(window: Window, concerns: (change: UntoldChange) => boolean): void {
    for (const change of window.kind.untold) if (concerns(change)) this.#judge(window, change.object, change.version);
  }

  #judge({ kind, after, upTo }: Window, { metadata }: DeepReadonly<KubeObject>, version: string): void {
    const missed = compareVersions(version, after) === 1 && compareVersions(upTo, version) !== -1;
    if (missed) this.#change ??= { resource: kind.resource, key: keyOf(metadata), version };
  }
}

function keyIn(ref: ObjectRef | string): string {
  return typeof ref === "string" ? ref : keyOf(ref);
}
