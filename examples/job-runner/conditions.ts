import type { Condition } from "stalewatch";
import type { Run } from "./terraform-run.ts";

/** What people read in the condition Ready. */
export interface Readiness {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

export function notReady(reason: string, message: string): Readiness {
  return { status: "False", reason, message };
}

/** The part of a status patch that tells how things are; nothing when the status tells it already. */
export function conditionsPatch({ status }: Run, next: Readiness, now: number): { conditions?: Condition[] } {
  const last = status?.conditions?.find(({ type }) => type === "Ready");
  if (last?.reason === next.reason && last.message === next.message) return {};
  const since = last?.status === next.status ? last.lastTransitionTime : undefined;
  return { conditions: [{ type: "Ready", ...next, lastTransitionTime: since ?? new Date(now).toISOString() }] };
}
