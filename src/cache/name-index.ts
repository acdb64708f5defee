/**
 * Names by a value of their objects. Most values have one name (a Job's pod, a name's label), which costs no set: at 50 000 owners
 * with one child each that is 10 MB less.
 */
export class NameIndex {
  readonly #names: Map<string, string | Set<string>> = new Map();

  names(value: string): Iterable<string> {
    const found = this.#names.get(value);
    if (found === undefined) return [];
    return typeof found === "string" ? [found] : found;
  }

  /** `name` had the value `from` and now has `to`; undefined is no value. */
  move(name: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined) this.#remove(name, from);
    if (to !== undefined) this.#add(name, to);
  }

  #add(name: string, value: string): void {
    const found = this.#names.get(value);
    if (found === undefined) this.#names.set(value, name);
    else if (typeof found !== "string") found.add(name);
    else if (found !== name) this.#names.set(value, new Set([found, name]));
  }

  #remove(name: string, value: string): void {
    const found = this.#names.get(value);
    if (typeof found === "string") {
      if (found === name) this.#names.delete(value);
      return;
    }
    if (found?.delete(name) && found.size === 0) this.#names.delete(value);
  }
}
