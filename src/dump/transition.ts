import type { Finding } from "../jobs/index.ts";

/** A verdict that became another at some moment of a recording. */
export interface Transition {
  /** RFC 3339 with milliseconds. */
  readonly at: string;
  readonly change: "raised" | "escalated" | "changed" | "cleared";
  /** As it was then; of "cleared", as it was before. */
  readonly finding: Finding;
}

const RANK = { info: 0, warning: 1, critical: 2 } as const;

/** What is only watched is not told: it is no finding yet. */
export function transitionOf(
  before: Finding | undefined,
  after: Finding | undefined,
  now: number,
): Transition | undefined {
  const was = before?.state === "watching" ? undefined : before;
  const is = after?.state === "watching" ? undefined : after;
  const at = new Date(now).toISOString();
  if (!is) return was && { at, change: "cleared", finding: was };
  if (!was) return { at, change: "raised", finding: is };
  if (was.kind !== is.kind || was.reason !== is.reason || was.state !== is.state) {
    return { at, change: "changed", finding: is };
  }
  if (was.severity === is.severity) return undefined;
  return { at, change: RANK[is.severity] > RANK[was.severity] ? "escalated" : "changed", finding: is };
}
