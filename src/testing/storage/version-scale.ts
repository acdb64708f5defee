/**
 * Revisions count from 1 inside; outside they are decimal strings from `base` + 1 on. A base above 2^53 shows who converts
 * versions to numbers.
 */
export class VersionScale {
  readonly #base: bigint;

  constructor(base: bigint) {
    this.#base = base;
  }

  text(revision: number): string {
    return this.#base === 0n ? String(revision) : String(this.#base + BigInt(revision));
  }

  /** The revision that a version stands for (it may be in the future, or below 1), or undefined when it is no decimal number. */
  revision(version: string): number | undefined {
    if (!/^[0-9]{1,39}$/.test(version)) return undefined;
    return this.#base === 0n ? Number(version) : Number(BigInt(version) - this.#base);
  }
}
