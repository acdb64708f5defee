import * as fc from "fast-check";
import { type DeepReadonly, keyOf, type KubeObject, type Resource } from "../../src/resources/index.ts";
import type { EmbeddedCluster, RequestFault, VirtualClock } from "../../src/testing/index.ts";
import type { UnreliableTransport } from "./unreliable-transport.ts";

/** One thing that happens to a cluster and the clients that follow it. Faults last until they are used up, changed or healed. */
export type Step =
  | { readonly do: "create" | "update" | "delete" | "recreate" | "relabel"; readonly name: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "delay"; readonly ms: number }
  | { readonly do: "lag"; readonly replica: number; readonly ms: number }
  | { readonly do: "switch"; readonly replica: number }
  | {
      readonly do: "refuse";
      readonly verb: "list" | "watch";
      readonly status: 429 | 500 | 503;
      readonly times: number;
      readonly retryAfter: number;
    }
  | { readonly do: "slow" | "loseAnswers"; readonly times: number }
  | { readonly do: "unreachable"; readonly ms: number }
  | {
      readonly do:
        | "cut"
        | "break"
        | "end"
        | "halfOpen"
        | "expire"
        | "compact"
        | "withholdBookmarks"
        | "damage"
        | "drop";
    }
  | { readonly do: "rollback"; readonly back: number };

/** A cluster's whole story, and how it is seen. */
export interface History {
  readonly steps: readonly Step[];
  /** Clients list by pages: the server refuses WatchList. */
  readonly paged: boolean;
  /** Clients follow the objects labelled `lit=yes` only. */
  readonly selected: boolean;
  /** Versions above 2^53, which no number holds. */
  readonly largeVersions: boolean;
  /** Clients ask for protobuf. */
  readonly protobuf: boolean;
}

export const REPLICAS = 3;
const NAMES = 4;

const bit = <D extends string>(...names: D[]): fc.Arbitrary<{ do: D }> =>
  fc.constantFrom(...names).map((name) => ({ do: name }));

const write: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom("create", "create", "update", "update", "delete", "recreate", "relabel"),
  name: fc.nat(NAMES - 1),
});

const wait: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("wait"),
  ms: fc.constantFrom(0, 10, 700, 2_000, 20_000, 70_000, 250_000),
});

const fault: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: bit("cut", "break", "end", "halfOpen") },
  { weight: 3, arbitrary: bit("expire", "compact", "withholdBookmarks", "damage", "drop") },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delay"), ms: fc.constantFrom(0, 300, 5_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("switch"), replica: fc.nat(REPLICAS - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("lag"),
      replica: fc.nat(REPLICAS - 1),
      ms: fc.constantFrom(0, 400, 2_500, 30_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("refuse"),
      verb: fc.constantFrom("list", "watch"),
      status: fc.constantFrom(429, 500, 503),
      times: fc.integer({ min: 1, max: 3 }),
      retryAfter: fc.constantFrom(0, 1, 40),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("slow", "loseAnswers"), times: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unreachable"), ms: fc.constantFrom(100, 5_000, 60_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rollback"), back: fc.integer({ min: 1, max: 3 }) }) },
) as fc.Arbitrary<Step>;

/** Short histories, half of them writes. */
export const histories: fc.Arbitrary<History> = fc.record({
  steps: fc.array(
    fc.oneof({ weight: 5, arbitrary: write }, { weight: 2, arbitrary: wait }, { weight: 4, arbitrary: fault }),
    {
      minLength: 1,
      maxLength: 14,
    },
  ),
  paged: fc.boolean(),
  selected: fc.boolean(),
  largeVersions: fc.boolean(),
  protobuf: fc.boolean(),
});

/** Objects of the kind at one time: key -> version of the object. */
export type Snapshot = ReadonlyMap<string, string>;

export interface WorldOptions {
  readonly cluster: EmbeddedCluster;
  readonly transport: UnreliableTransport;
  readonly resource: Resource;
  /** Remember the objects labelled `lit=yes` only. */
  readonly selected: boolean;
}

/** Plays a history on a cluster, and remembers what was true when. */
export class World {
  readonly #cluster: EmbeddedCluster;
  readonly #transport: UnreliableTransport;
  readonly #resource: Resource;
  readonly #selected: boolean;
  readonly #refusals: RequestFault[] = [];
  /** By the version of the whole cluster at which the state began; oldest first. */
  #past: { readonly version: bigint; readonly state: Snapshot }[] = [];
  #compactedAt: bigint;
  /** Something was lost that only a list finds: until then nobody can know. */
  isLossy = false;
  #isDropping = false;
  #hasDamaged = false;
  /** Called before the history is rolled back, with the version it goes back to. */
  onRollback: (version: string) => void = () => {};
  replica = 0;

  constructor(options: WorldOptions) {
    this.#cluster = options.cluster;
    this.#transport = options.transport;
    this.#resource = options.resource;
    this.#selected = options.selected;
    this.#compactedAt = BigInt(options.cluster.currentVersion());
    this.#remember();
  }

  get clock(): VirtualClock {
    return this.#cluster.clock as VirtualClock;
  }

  /** What the server holds now. */
  get state(): Snapshot {
    return this.#past.at(-1)?.state ?? new Map();
  }

  /** What the server held when the cluster stood at `version`. */
  stateAt(version: string): Snapshot {
    const wanted = BigInt(version);
    return this.#past.findLast((entry) => entry.version <= wanted)?.state ?? new Map();
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#play(step);
  }

  /** Ends every fault and lets enough time pass for every client to notice. */
  async heal(): Promise<void> {
    await this.#calm();
    if (this.#isDropping) {
      // Only a list finds what the watch never said. The streams that are open may not even say that they expired.
      this.#cluster.faults.breakWatches(this.#resource);
      await this.clock.advance(100_000);
      this.#cluster.faults.expire(this.#resource);
    }
    await this.clock.advance(800_000);
  }

  async #play(step: Step): Promise<void> {
    switch (step.do) {
      case "wait":
        return this.clock.advance(step.ms);
      case "rollback":
        return this.#rollback(step.back);
      case "unreachable":
        this.#cluster.faults.unreachable(true);
        await this.clock.advance(step.ms);
        return this.#cluster.faults.unreachable(false);
      case "create":
      case "update":
      case "delete":
      case "recreate":
      case "relabel":
        return this.#write(step.do, `n${step.name}`);
      default:
        return this.#fault(step);
    }
  }

  #write(what: "create" | "update" | "delete" | "recreate" | "relabel", name: string): void {
    const { objects } = this.#cluster;
    const there = objects.get(this.#resource, name);
    if (there && (what === "delete" || what === "recreate")) objects.delete(this.#resource, name);
    this.#remember();
    if (what === "recreate" || (what === "create" && !there)) {
      objects.create(this.#resource, { metadata: { name, labels: { lit: "yes" } }, data: { n: "0" } });
    } else if (there && what === "update") {
      objects.update<KubeObject & { data?: { n: string } }>(this.#resource, name, (it) => {
        it.data = { n: String(Number(it.data?.n) + 1) };
      });
    } else if (there && what === "relabel") {
      const lit = there.metadata.labels?.["lit"] === "yes" ? "no" : "yes";
      objects.patch(this.#resource, name, { metadata: { labels: { lit } } });
    }
    this.#remember();
  }

  #fault(step: Step): void {
    const { faults, replicas } = this.#cluster;
    const resource = this.#resource;
    switch (step.do) {
      case "delay":
        return faults.delay(resource, step.ms);
      case "lag": {
        const replica = replicas[step.replica];
        if (replica) replica.lagMs = step.ms;
        return undefined;
      }
      case "switch":
        this.replica = step.replica;
        return faults.breakWatches(resource);
      case "refuse": {
        const { verb, status, times, retryAfter } = step;
        const more = retryAfter ? { retryAfter } : {};
        this.#refusals.push(faults.failRequests({ match: { verb }, status, times, ...more }));
        return undefined;
      }
      case "slow":
        this.#refusals.push(faults.slowRequests({ match: { verb: "list" }, ms: 4_000, times: step.times }));
        return undefined;
      case "loseAnswers":
        this.#refusals.push(faults.loseAnswers({ match: { verb: "list" }, times: step.times }));
        return undefined;
      default:
        return this.#plainFault(step.do);
    }
  }

  #plainFault(what: Step["do"]): void {
    const { faults } = this.#cluster;
    const resource = this.#resource;
    switch (what) {
      case "cut":
        return faults.cutMidFrame(resource);
      case "break":
        return faults.breakWatches(resource);
      case "end":
        return faults.endWatches(resource);
      case "halfOpen":
        return faults.halfOpen(resource);
      case "withholdBookmarks":
        return faults.withholdBookmarks(resource);
      case "damage":
        // A frame that is damaged twice is passed over until the watch ends.
        this.isLossy ||= this.#hasDamaged;
        this.#hasDamaged = true;
        return this.#transport.damageNextFrame();
      case "drop":
        this.isLossy = true;
        this.#isDropping = true;
        return faults.dropNext(resource, 1);
      case "compact":
      case "expire":
        this.#compactedAt = BigInt(this.#cluster.currentVersion());
        return what === "compact" ? this.#cluster.compact() : faults.expire(resource);
      default:
        throw new Error(`no such fault: ${what}`);
    }
  }

  /** Nobody can find a rewind that was overtaken by new writes before the next read: so there is time for one read. */
  async #rollback(back: number): Promise<void> {
    await this.#calm();
    const target = this.#past.at(-1 - back)?.version ?? 0n;
    if (target < this.#compactedAt) return;
    this.onRollback(String(target));
    this.#cluster.faults.rollback(String(target));
    this.#past = this.#past.filter(({ version }) => version <= target);
    await this.clock.advance(200_000);
  }

  /** Ends all faults but the streams that are broken already. */
  async #calm(): Promise<void> {
    const { faults, replicas } = this.#cluster;
    faults.delay(this.#resource, 0);
    faults.withholdBookmarks(this.#resource, false);
    for (const refusal of this.#refusals.splice(0)) refusal.stop();
    this.#transport.heal();
    for (const replica of replicas) replica.lagMs = 0;
    await this.clock.advance(0);
  }

  #remember(): void {
    const version = BigInt(this.#cluster.currentVersion());
    if (this.#past.at(-1)?.version === version) return;
    const objects = this.#cluster.objects.list(this.#resource);
    const seen = this.#selected ? objects.filter(({ metadata }) => metadata.labels?.["lit"] === "yes") : objects;
    this.#past.push({ version, state: snapshot(seen) });
  }
}

export function snapshot(objects: readonly DeepReadonly<KubeObject>[]): Snapshot {
  return new Map(objects.map(({ metadata }) => [keyOf(metadata), metadata.resourceVersion]));
}
