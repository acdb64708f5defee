/**
 * Keys by a value of their objects. Most values have one key (a Job's pod, a name's label), which costs no set: at 50 000 owners
 * with one child each that is 10 MB less.
 */
export class KeyIndex {
  readonly #keys: Map<string, string | Set<string>> = new Map();

  keys(value: string): Iterable<string> {
    const found = this.#keys.get(value);
    if (found === undefined) return [];
    return typeof found === "string" ? [found] : found;
  }

  /** `key` had the value `from` and now has `to`; undefined is no value. */
  move(key: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined) this.#remove(key, from);
    if (to !== undefined) this.#add(key, to);
  }

  #add(key: string, value: string): void {
    const found = this.#keys.get(value);
    if (found === undefined) this.#keys.set(value, key);
    else if (typeof found !== "string") found.add(key);
    else if (found !== key) this.#keys.set(value, new Set([found, key]));
  }

  #remove(key: string, value: string): void {
    const found = this.#keys.get(value);
    if (typeof found === "string") {
      if (found === key) this.#keys.delete(value);
      return;
    }
    if (found?.delete(key) && found.size === 0) this.#keys.delete(value);
  }
}
