import { compareText } from "../base/index.ts";
import type { Time } from "../resources/index.ts";

/** Since when something has been so, and the API field that says it: the two belong together in every symptom. */
export interface Since {
  readonly sinceMs: number;
  readonly sinceSource: string;
}

/** Undefined where there is no time, or none that can be read: only a file can hold such a one. */
export function sinceOf(time: Time | undefined, sinceSource: string): Since | undefined {
  const sinceMs = Date.parse(time ?? "");
  return Number.isNaN(sinceMs) ? undefined : { sinceMs, sinceSource };
}

/** So long after; undefined where that is no date any more. */
export function afterSince(since: Since | undefined, ms: number, plus: string): Since | undefined {
  if (!since) return undefined;
  const sinceMs = new Date(since.sinceMs + ms).getTime();
  return Number.isNaN(sinceMs) ? undefined : { sinceMs, sinceSource: `${since.sinceSource} + ${plus}` };
}

/** The later of what is known: a state has been so at most since then. */
export function latestOf(...times: readonly (Since | undefined)[]): Since | undefined {
  return times.reduce((a, b) => (a && b ? (bySince(a, b) >= 0 ? a : b) : (a ?? b)), undefined);
}

/** The oldest first. Those of the same second are told apart by what they say, so that no list's order matters. */
export function bySince(a: Since, b: Since): number {
  return a.sinceMs - b.sinceMs || compareText(b.sinceSource, a.sinceSource);
}
