import { emptySlots, InternTable } from "./intern-table.ts";
import { Layout } from "./layout.ts";
import type { Plan, PlannedField } from "./plan.ts";
import type { Sharing } from "./sharing.ts";

/** How many messages, lists and maps are remembered. Two that fall on one place are never shared: of 1 000, one in sixteen. */
const RECENT = 16_384;
/** Maps of more keys (a ConfigMap's data) hardly have them in common. */
const MAP_KEYS = 16;
const MAP_LAYOUTS = 1_000;

/** Every empty message; nobody may change a cached object. */
export const EMPTY: object = Object.freeze({});

/**
 * Builds projected objects from values put on its stack, and gives out the same object again for a message, list or map that
 * equals one it built not long ago: most Jobs of a CronJob have the same spec and owner. What remembers them is bounded.
 */
export class Assembler {
  readonly strings: InternTable = new InternTable();
  /** A stack: a reader puts the values of its message from some base on. Holds on to no more than the last object read. */
  readonly values: unknown[] = [];
  readonly #owners: unknown[] = emptySlots(RECENT);
  readonly #parts: (readonly unknown[] | undefined)[] = emptySlots(RECENT);
  readonly #built: (object | undefined)[] = emptySlots(RECENT);
  readonly #mapLayout: Layout = new Layout();
  #mapLayouts = 0;

  /** The message whose fields' values stand from `base` on, undefined where absent; `EMPTY` if all are. */
  message(plan: Plan, base: number, hash: number): object {
    const { fields } = plan;
    const { values } = this;
    const from = base + fields.length;
    let to = from;
    let { layout } = plan;
    for (let slot = 0; slot < fields.length; slot += 1) {
      const value = values[base + slot];
      if (value === undefined) continue;
      layout = layout.withSlot(slot, fields[slot] as PlannedField);
      values[to++] = value;
    }
    if (to === from) return EMPTY;
    if (!plan.sharing?.pays()) return layout.build(values, from, 1);
    const at = placeOf(hash);
    if (this.#isAt(at, layout, from, to)) return plan.sharing.hit(this.#built[at] as object);
    return this.#remember(at, layout, values.slice(from, to), layout.build(values, from, 1));
  }

  /** The list of the values that stand between. */
  list(sharing: Sharing, from: number, to: number, hash: number): readonly unknown[] {
    if (!sharing.pays()) return this.values.slice(from, to);
    const at = placeOf(hash);
    if (this.#isAt(at, sharing, from, to)) return sharing.hit(this.#built[at] as unknown[]);
    const list = this.values.slice(from, to);
    return this.#remember(at, sharing, list, list);
  }

  /** The map of the keys and values that stand there in turn; the last of two equal keys counts. */
  map(sharing: Sharing, from: number, to: number, hash: number): object {
    if (!sharing.pays()) return this.#buildMap(from, to);
    const at = placeOf(hash);
    if (this.#isAt(at, sharing, from, to)) return sharing.hit(this.#built[at] as object);
    return this.#remember(at, sharing, this.values.slice(from, to), this.#buildMap(from, to));
  }

  #isAt(at: number, owner: object, from: number, to: number): boolean {
    const { values } = this;
    const parts = this.#parts[at];
    if (this.#owners[at] !== owner || parts?.length !== to - from) return false;
    for (let part = 0; part < parts.length; part += 1) if (parts[part] !== values[from + part]) return false;
    return true;
  }

  #remember<B extends object>(at: number, owner: object, parts: readonly unknown[], built: B): B {
    this.#owners[at] = owner;
    this.#parts[at] = parts;
    this.#built[at] = built;
    return built;
  }

  #buildMap(from: number, to: number): object {
    const { values } = this;
    let layout: Layout | undefined = to - from > 2 * MAP_KEYS ? undefined : this.#mapLayout;
    for (let at = from; at < to && layout; at += 2) layout = this.#nextMapLayout(layout, values[at] as string);
    if (layout) return layout.build(values, from + 1, 2);
    const pairs: [string, unknown][] = [];
    for (let at = from; at < to; at += 2) pairs.push([values[at] as string, values[at + 1]]);
    return Object.fromEntries(pairs);
  }

  /** Undefined when there are enough already: a cluster has few sets of label keys, but nothing says so. */
  #nextMapLayout(layout: Layout, key: string): Layout | undefined {
    const known = layout.known(key);
    if (known || this.#mapLayouts === MAP_LAYOUTS) return known;
    this.#mapLayouts += 1;
    return layout.with({ name: key, kind: "string" });
  }
}

/** Multiplying by an odd number with bits all over (the golden ratio) spreads what differs in few bits. */
function placeOf(hash: number): number {
  return (Math.imul(hash, 0x9e3779b1) >>> 8) & (RECENT - 1);
}
