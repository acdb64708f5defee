import { describe, expect, it } from "vitest";
import { sleep, withinMs } from "../../src/base/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";

const tooLate = (): Error => new Error("too late");

describe("a call within a time", () => {
  it("gives what it gives, or fails as it fails, and leaves no timer", async () => {
    const clock = new VirtualClock();
    const limit = { clock, ms: 1_000, tooLate };
    expect(await withinMs(limit, () => Promise.resolve(5))).toBe(5);
    await expect(withinMs(limit, () => Promise.reject(new Error("its own")))).rejects.toThrow("its own");
    expect(clock.waitingTimers).toBe(0);
  });

  it("fails with what the caller says once the time is over, whatever the call makes of that", async () => {
    const clock = new VirtualClock();
    const call = (limited: AbortSignal): Promise<void> =>
      sleep(clock, 5_000, limited).catch(() => Promise.reject(new Error("cut off")));
    const late = expect(withinMs({ clock, ms: 1_000, tooLate }, call)).rejects.toThrow("too late");
    await clock.advance(1_000);
    await late;
  });

  it("fails with the abort of its caller's signal", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const limit = { clock, ms: 1_000, signal: stop.signal, tooLate };
    const stopped = expect(withinMs(limit, (limited) => sleep(clock, 5_000, limited))).rejects.toThrow("stopped");
    stop.abort(new Error("stopped"));
    await stopped;
  });
});
