/** When every case begins; a Monday. Times in cases are seconds from here. */
const START_MS = Date.parse("2026-03-02T10:00:00Z");

export const MINUTE = 60;
export const HOUR = 3_600;
export const DAY = 86_400;

/** Wall time in milliseconds. */
export function msAt(seconds: number): number {
  return START_MS + seconds * 1_000;
}

/** As the API writes times. */
export function iso(seconds: number): string {
  return `${new Date(msAt(seconds)).toISOString().slice(0, 19)}Z`;
}
