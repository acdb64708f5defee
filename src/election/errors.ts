import { StalewatchError } from "../base/index.ts";

/** The lease was lost, or could not be renewed in time: whatever acts as a leader must end now. */
export class LeadershipLostError extends StalewatchError {
  override readonly name: string = "LeadershipLostError";

  constructor(lease: string, why: string, options?: { cause?: unknown }) {
    super("LEADERSHIP_LOST", `lost the lease ${lease}: ${why}`, "restart the process to stand again", options);
  }
}

/** Of a write that was held back: somebody else may lead by now. */
export function notLeader(lease: string): StalewatchError {
  return new StalewatchError(
    "NOT_LEADER",
    `this process does not hold the lease ${lease} now, and only its holder may write`,
    "write from what leads, and end it when its signal aborts",
  );
}

export interface ElectionPeriods {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** client-go's conditions (tools/leaderelection): without them two leaders could not be kept apart, or one not be kept. */
export function checkPeriods({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: ElectionPeriods): void {
  const finite = [leaseDurationMs, renewDeadlineMs, retryPeriodMs].every(Number.isFinite);
  if (finite && leaseDurationMs > renewDeadlineMs && renewDeadlineMs > 1.2 * retryPeriodMs && retryPeriodMs > 0) return;
  throw new StalewatchError(
    "BAD_ELECTION_PERIODS",
    `leader election with lease ${leaseDurationMs} ms, renew deadline ${renewDeadlineMs} ms, retry period ${retryPeriodMs} ms`,
    "the lease must be longer than the renew deadline, and that longer than 1.2 retry periods",
  );
}
