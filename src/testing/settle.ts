import { sleep, systemClock } from "../base/index.ts";
import type { Activity } from "./activity.ts";

/** Without any activity for this long, sockets are taken to be quiet. */
const QUIET_MS = 40;
const LOOK_EVERY_MS = 10;

/** Lets `advanceMs` of real time pass, then waits until nothing has happened for a while and nothing is under way. */
export async function settleInRealTime(activity: Activity, advanceMs: number): Promise<void> {
  if (advanceMs > 0) await sleep(systemClock, advanceMs);
  let seen = activity.count;
  let quietSince = systemClock.monotonic();
  for (;;) {
    await sleep(systemClock, LOOK_EVERY_MS);
    const now = systemClock.monotonic();
    if (activity.count !== seen || !activity.isIdle) {
      seen = activity.count;
      quietSince = now;
    } else if (now - quietSince >= QUIET_MS) return;
  }
}
