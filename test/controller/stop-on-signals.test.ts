import { expect, test } from "vitest";
import { stopOnSignals } from "../../src/controller/index.ts";

test.each(["SIGTERM", "SIGINT"] as const)("%s aborts once; the next one is Node's own business again", (name) => {
  const before = process.listenerCount(name);
  const signal = stopOnSignals();
  expect(signal.aborted).toBe(false);
  process.emit(name);
  expect(signal.aborted).toBe(true);
  expect(process.listenerCount("SIGTERM")).toBe(before);
  expect(process.listenerCount("SIGINT")).toBe(before);
});
