/** What a layout needs to know of a field. */
export interface LayoutField {
  readonly name: string;
  readonly kind: string;
}

/**
 * The fields that are present together in a message, or the keys of a map. Objects of one layout share a hidden class and have
 * room for exactly these fields: V8 gives an object from JSON.parse that form, and a spread of it copies the form (an object that
 * grows field by field takes a quarter more).
 */
export class Layout {
  readonly #fields: readonly LayoutField[];
  readonly #names: readonly string[];
  readonly #template: Readonly<Record<string, unknown>>;
  readonly #next: Map<string, Layout> = new Map();
  /** `#next` of a message's fields once more, by their place: it is asked for every field of every object. */
  readonly #nextBySlot: (Layout | undefined)[] = [];

  constructor(fields: readonly LayoutField[] = []) {
    this.#fields = fields;
    this.#names = fields.map(({ name }) => name);
    // Integers are kept in another form than pointers: the class should not have to change when the first value comes.
    const members = fields.map(({ name, kind }) => `${JSON.stringify(name)}:${kind === "int" ? 0 : null}`);
    this.#template = JSON.parse(`{${members.join(",")}}`) as Record<string, unknown>;
  }

  /** This one and the field at that place of its plan. */
  withSlot(slot: number, field: LayoutField): Layout {
    return this.#nextBySlot[slot] ?? (this.#nextBySlot[slot] = this.with(field));
  }

  with(field: LayoutField): Layout {
    const known = this.#next.get(field.name);
    if (known) return known;
    const made = new Layout([...this.#fields, field]);
    this.#next.set(field.name, made);
    return made;
  }

  /** The layout with this key of a map too, if there is one already. */
  known(key: string): Layout | undefined {
    return this.#next.get(key);
  }

  /** The object whose fields are every `step`th value from `from` on. */
  build(values: readonly unknown[], from: number, step: number): object {
    const object = { ...this.#template };
    const names = this.#names;
    for (let at = 0; at < names.length; at += 1) object[names[at] as string] = values[from + at * step];
    return object;
  }
}
