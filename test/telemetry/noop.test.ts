import { describe, expect, test, vi } from "vitest";
import { seededRandom, systemClock, systemRandom } from "../../src/base/index.ts";
import { noopLog, noopMeter, noopTracer, resolveEnv } from "../../src/telemetry/index.ts";

describe("an environment", () => {
  test("is the system's, with telemetry that goes nowhere, unless given", () => {
    expect(resolveEnv()).toEqual({
      clock: systemClock,
      random: systemRandom,
      log: noopLog,
      meter: noopMeter,
      tracer: noopTracer,
    });
  });

  test("keeps what is given", () => {
    const random = seededRandom(1);
    expect(resolveEnv({ random })).toMatchObject({ random, clock: systemClock });
  });
});

describe("telemetry that goes nowhere", () => {
  test("takes every measurement", () => {
    const labels = { a: "open" } as const;
    const about = { name: "x", help: "x", labels, stability: "ALPHA" } as const;
    const counters = noopMeter.counter({ ...about, type: "counter" });
    const gauges = noopMeter.gauge({ ...about, type: "gauge" });
    const histograms = noopMeter.histogram({ ...about, type: "histogram", buckets: [1] });
    expect(() => {
      counters.labels({ a: "1" }).inc(2);
      gauges.labels({ a: "1" }).set(2);
      gauges.labels({ a: "1" }).add(-1);
      histograms.labels({ a: "1" }).observe(2);
      counters.remove({ a: "1" });
    }).not.toThrow();
  });

  test("makes no series: every label set has the same member", () => {
    const counters = noopMeter.counter({
      name: "x",
      type: "counter",
      help: "x",
      labels: { a: "open" },
      stability: "ALPHA",
    });
    expect(counters.labels({ a: "1" })).toBe(counters.labels({ a: "2" }));
  });

  test("never scrapes", () => {
    const update = vi.fn();
    noopMeter.onCollect(update)();
    expect(update).not.toHaveBeenCalled();
  });

  test("says that nothing listens, and gives one span to all", () => {
    expect(noopTracer.enabled).toBe(false);
    const span = noopTracer.startSpan("a");
    expect(noopTracer.startSpan("b", { parent: span })).toBe(span);
    expect(span.context).toBeUndefined();
    expect(() => {
      span.set({ a: 1 });
      span.link({ traceId: "1", spanId: "2", traceFlags: 1 });
      span.fail(new Error("x"));
      span.end();
      span.end();
    }).not.toThrow();
  });

  test("logs nothing", () => {
    const written = vi.spyOn(process.stdout, "write");
    for (const level of ["debug", "info", "warn", "error"] as const) noopLog[level]("message", { field: 1 });
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });
});
