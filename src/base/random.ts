/** A number in [0, 1). The only source of randomness in the runtime; it comes in through `env`. */
export type Random = () => number;

export const systemRandom: Random = Math.random;

/** The same numbers for the same seed, on every machine (mulberry32, public domain). For tests and simulations only. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
