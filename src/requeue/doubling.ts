/** The `nth` (from 1; less counts as 1) of the delays `baseMs`, twice that, four times, ..., none longer than `longestMs`. */
export function doubledMs(baseMs: number, nth: number, longestMs: number): number {
  return Math.min(baseMs * 2 ** Math.max(nth - 1, 0), longestMs);
}
