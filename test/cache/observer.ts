import type { Informer, InformerEvent } from "../../src/cache/index.ts";
import { compareVersions, keyOf, type KubeObject } from "../../src/resources/index.ts";
import { type Snapshot, snapshot, type World } from "./histories.ts";

/** What one handler knows if it believes every event. Complains about events that do not follow from what it was told before. */
export class Shadow {
  readonly #known: Map<string, { uid: string; version: string }> = new Map();
  readonly complaints: string[] = [];

  readonly handler = (event: InformerEvent<KubeObject>): void => {
    const { metadata } = event.object;
    const key = keyOf(metadata);
    const known = this.#known.get(key);
    if (event.type === "add" && known) this.#complain(event, "is there already");
    if (event.type === "update" && known?.version !== event.old.metadata.resourceVersion)
      this.#complain(event, "old is not what was last told");
    if (event.type === "update" && known?.uid !== event.old.metadata.uid)
      this.#complain(event, "old is another object");
    if (event.type === "delete" && known?.uid !== metadata.uid) this.#complain(event, "is not there");
    if (event.type === "delete") this.#known.delete(key);
    else this.#known.set(key, { uid: metadata.uid, version: metadata.resourceVersion });
  };

  get state(): Snapshot {
    return new Map([...this.#known].map(([key, { version }]) => [key, version]));
  }

  #complain(event: InformerEvent<KubeObject>, what: string): void {
    this.complaints.push(
      `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}: ${what}`,
    );
  }
}

/** Holds an informer to its promises while a history is played. */
export class Observer {
  readonly complaints: string[] = [];
  readonly shadows: Shadow[] = [];
  readonly #informer: Informer;
  readonly #world: World;
  /** Versions of the store do not stand for states of the server: the history went back and the informer does not know yet. */
  #estranged = false;

  constructor(informer: Informer, world: World) {
    this.#informer = informer;
    this.#world = world;
    informer.onProgress(() => this.#compare("progress"));
    informer.onRewind(() => {
      this.#estranged = false;
    });
    world.onRollback = (target) => {
      this.#estranged ||= compareVersions(informer.lastStoreSyncResourceVersion(), target) === 1;
    };
    this.addHandler();
  }

  addHandler(): void {
    const shadow = new Shadow();
    this.shadows.push(shadow);
    this.#informer.addHandler(shadow.handler);
    this.#informer.addHandler((event) => {
      // The store has this event's effect, or a later one's. A tombstone's object may be of a history that is gone.
      if (this.#estranged || (event.type === "delete" && event.tombstone)) return;
      const version = this.#informer.lastStoreSyncResourceVersion();
      const { name, resourceVersion } = event.object.metadata;
      if (compareVersions(version, resourceVersion) !== -1) return;
      this.complaints.push(`told of ${name}@${resourceVersion} with the store at ${version}`);
    });
  }

  /** At any time the store holds exactly what the server held at the store's version. */
  #compare(when: string): void {
    if (this.#estranged || this.#world.isLossy) return;
    const version = this.#informer.lastStoreSyncResourceVersion();
    const expected = text(this.#world.stateAt(version));
    const actual = text(snapshot(this.#informer.lister.list()));
    if (actual !== expected) this.complaints.push(`${when} at ${version}: store has ${actual}, server had ${expected}`);
  }
}

export function text(state: Snapshot): string {
  return [...state]
    .map(([key, version]) => `${key}@${version}`)
    .sort()
    .join(" ");
}
