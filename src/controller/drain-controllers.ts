import { formatDuration, StalewatchError } from "../base/index.ts";
import type { Env } from "../telemetry/index.ts";
import { deadline } from "./deadline.ts";
import type { AttachedController } from "./managed-controller.ts";
import { untilAborted } from "./until-aborted.ts";

/** What passes that were told to stop have to unwind in, and Events to be written in. */
const UNWIND_MS = 2_000;

export interface DrainOptions {
  readonly controllers: readonly AttachedController[];
  /** Settles when all their workers have ended. */
  readonly work: Promise<unknown>;
  readonly timeoutMs: number;
  /** Ends the patience before: nothing may be written any more. */
  readonly lost?: AbortSignal | undefined;
  readonly env: Env;
}

/**
 * Lets the passes under way finish, for `timeoutMs` or until `lost`; then their signals abort, so that what they still write is
 * refused.
 * Errors: `DRAIN_TIMEOUT` when a pass goes on all the same: the manager will not wait for it.
 */
export async function drainControllers({ controllers, work, timeoutMs, lost, env }: DrainOptions): Promise<void> {
  for (const controller of controllers) controller.drain();
  const ended = Promise.allSettled([work]);
  if (!(await endsWithin(ended, timeoutMs, env, lost))) {
    const overdue = runningPasses(controllers);
    const since = lost?.aborted
      ? `${formatDuration(UNWIND_MS)} after the lease was lost`
      : `${formatDuration(timeoutMs)} after the manager was told to stop`;
    const error = new StalewatchError(
      "DRAIN_TIMEOUT",
      `still running ${since}: ${overdue}`,
      "make its calls end with the pass's signal",
    );
    if (!lost?.aborted) env.log.warn("passes did not end in time and are told to stop", { passes: overdue });
    for (const controller of controllers) controller.abort(lost?.aborted ? lost.reason : error);
    if (!(await endsWithin(ended, UNWIND_MS, env))) throw error;
  }
  const flushed = Promise.all(controllers.map((controller) => controller.flush()));
  if (!(await endsWithin(flushed, UNWIND_MS, env))) env.log.warn("some Events were not written before the end");
}

async function endsWithin(work: Promise<unknown>, ms: number, env: Env, lost?: AbortSignal): Promise<boolean> {
  const limit = deadline(env.clock, ms);
  const patience = lost ? AbortSignal.any([limit.signal, lost]) : limit.signal;
  try {
    await untilAborted(work, patience);
    return true;
  } catch (thrown) {
    if (patience.aborted) return false;
    throw thrown;
  } finally {
    limit.end();
  }
}

function runningPasses(controllers: readonly AttachedController[]): string {
  const running = controllers.map((controller) => {
    const { name, running, sweeping } = controller.status();
    return { name, what: [...running.map(({ key }) => key), ...(sweeping ? ["its sweep"] : [])] };
  });
  const busy = running.filter(({ what }) => what.length > 0);
  return busy.map(({ name, what }) => `${name} (${what.join(", ")})`).join(", ");
}
