import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PrometheusMeter, type PrometheusMeterOptions } from "../../src/exposition/index.ts";
import type { Log, LogFields, MetricDefinition, SpanContext } from "../../src/telemetry/index.ts";
import { noopLog } from "../../src/telemetry/index.ts";
import { ManualClock } from "./manual-clock.ts";

const OPENMETRICS = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";

const passes: MetricDefinition<"controller" | "outcome"> = {
  name: "test_passes_total",
  type: "counter",
  help: "Passes.",
  labels: { controller: "open", outcome: ["changed", "noop"] },
  stability: "BETA",
};
const checks: MetricDefinition<"verdict"> = {
  ...passes,
  name: "test_checks_total",
  labels: { verdict: ["lag", "none"] },
};
const seconds: MetricDefinition<"controller"> = {
  name: "test_seconds",
  type: "histogram",
  help: "Time.",
  labels: { controller: "open" },
  buckets: [1e-8, 0.1, 1],
  stability: "ALPHA",
};
const depth: MetricDefinition<"controller"> = {
  name: "test_depth",
  type: "gauge",
  help: "Keys.",
  labels: { controller: "open" },
  stability: "ALPHA",
};
const stuck: MetricDefinition<"name"> = {
  name: "test_stuck_since_timestamp_seconds",
  type: "gauge",
  help: "Since.",
  labels: { name: "open" },
  stability: "ALPHA",
  perObject: true,
};
const sampled: SpanContext = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };

function meterWith(options: PrometheusMeterOptions = {}): { meter: PrometheusMeter; warnings: LogFields[] } {
  const warnings: LogFields[] = [];
  const log: Log = { ...noopLog, warn: (_message, fields = {}) => void warnings.push(fields) };
  return { meter: new PrometheusMeter({ processMetrics: false, clock: new ManualClock(), log, ...options }), warnings };
}

async function page(meter: PrometheusMeter, accept?: string): Promise<string> {
  return (await meter.scrape(accept)).body.toString();
}

function samples(text: string, name: string): string[] {
  return text.split("\n").filter((line) => line.startsWith(name));
}

/** The lines about the per-object family, in an order that does not depend on who rendered them. */
async function stuckLines(meter: PrometheusMeter): Promise<string[]> {
  const lines = (await page(meter)).split("\n");
  return lines.filter((line) => line.includes(stuck.name) && !line.includes("dropped")).sort();
}

describe("PrometheusMeter formats", () => {
  it("answers in text unless OpenMetrics is asked for by name, and the same again whatever was asked before", async () => {
    const { meter } = meterWith();
    meter.counter(passes).labels({ controller: "jobs", outcome: "noop" }).inc(3);
    const first = await page(meter);
    const open = await page(meter, OPENMETRICS);
    expect(first).toContain("# TYPE test_passes_total counter\n");
    expect(open).toContain("# TYPE test_passes counter\n");
    expect(open.endsWith("\n# EOF\n")).toBe(true);
    for (const text of [first, open]) {
      expect(text).toContain('test_passes_total{controller="jobs",outcome="noop"} 3\n');
    }
    expect(await page(meter)).toBe(first);
    expect(await page(meter, OPENMETRICS)).toBe(open);
    expect((await meter.scrape(OPENMETRICS)).contentType).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
  });

  it.each([
    [undefined, "text"],
    ["*/*", "text"],
    ["text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text"],
    ["application/openmetrics-text;version=1.0.0;q=0.2,text/plain;q=0.5", "text"],
    ["application/openmetrics-text;version=2.0.0", "text"],
    ["application/openmetrics-text;version=1.0.0;q=0", "text"],
    [OPENMETRICS, "openmetrics"],
    ["application/openmetrics-text", "openmetrics"],
    ["application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;q=0.4", "openmetrics"],
  ])("takes Accept %s for %s", async (accept, format) => {
    const { meter } = meterWith();
    const { contentType } = await meter.scrape(accept);
    expect(contentType.startsWith("application/openmetrics-text")).toBe(format === "openmetrics");
  });

  it("writes exemplars of sampled spans, in OpenMetrics only", async () => {
    const { meter } = meterWith();
    const histogram = meter.histogram(seconds);
    histogram.labels({ controller: "sampled" }).observe(0.5, sampled);
    histogram.labels({ controller: "unsampled" }).observe(0.5, { ...sampled, traceFlags: 0 });
    meter.counter(passes).labels({ controller: "jobs", outcome: "noop" }).inc(2, sampled);
    const open = await page(meter, OPENMETRICS);
    const exemplar = ` # {trace_id="${sampled.traceId}",span_id="${sampled.spanId}"}`;
    expect(open).toContain(`test_seconds_bucket{controller="sampled",le="1"} 1${exemplar} 0.5 1767323045\n`);
    expect(open).toContain(`test_passes_total{controller="jobs",outcome="noop"} 2${exemplar} 2 1767323045\n`);
    expect(open).toContain('test_seconds_bucket{controller="unsampled",le="1"} 1\n');
    expect(await page(meter)).not.toContain("trace_id");
  });

  it("writes bounds as Go's clients do", async () => {
    const { meter } = meterWith();
    meter.histogram(seconds).labels({ controller: "jobs" }).observe(2);
    expect(samples(await page(meter), "test_seconds")).toEqual([
      'test_seconds_bucket{controller="jobs",le="1e-08"} 0',
      'test_seconds_bucket{controller="jobs",le="0.1"} 0',
      'test_seconds_bucket{controller="jobs",le="1"} 0',
      'test_seconds_bucket{controller="jobs",le="+Inf"} 1',
      'test_seconds_sum{controller="jobs"} 2',
      'test_seconds_count{controller="jobs"} 1',
    ]);
  });
});

describe("PrometheusMeter families", () => {
  it("has every family from the start, and counters without open labels at 0", async () => {
    const { meter } = meterWith({ catalog: [passes, checks, seconds, depth, stuck] });
    const text = await page(meter);
    for (const { name, type } of [passes, checks, seconds, depth, stuck])
      expect(text).toContain(`# TYPE ${name} ${type}\n`);
    expect(text).toContain("# HELP test_passes_total [BETA] Passes.\n");
    expect(samples(text, "test_")).toEqual([
      'test_checks_total{verdict="lag"} 0',
      'test_checks_total{verdict="none"} 0',
    ]);
  });

  it("gives the same series to whoever asks by name, and refuses another type under it", () => {
    const { meter } = meterWith();
    const labels = { controller: "jobs" };
    expect(meter.gauge(depth).labels(labels)).toBe(meter.gauge({ ...depth }).labels(labels));
    expect(() => meter.counter({ ...depth, type: "counter" })).toThrow(/test_depth is a gauge, not a counter/);
  });

  it("counts an unknown value of a closed label under other, saying so once", async () => {
    const { meter, warnings } = meterWith();
    for (let i = 0; i < 3; i++)
      meter
        .counter(checks)
        .labels({ verdict: `odd-${i}` })
        .inc();
    expect(samples(await page(meter), "test_checks_total")).toEqual([
      'test_checks_total{verdict="lag"} 0',
      'test_checks_total{verdict="none"} 0',
      'test_checks_total{verdict="other"} 3',
    ]);
    expect(warnings).toHaveLength(1);
  });

  it("ignores impossible values, saying so once a family, and never throws", async () => {
    const { meter, warnings } = meterWith();
    const counter = meter.counter(passes).labels({ controller: "jobs", outcome: "noop" });
    const histogram = meter.histogram(seconds).labels({ controller: "jobs" });
    const gauge = meter.gauge(depth).labels({ controller: "jobs" });
    counter.inc(-1);
    counter.inc(Number.NaN);
    histogram.observe(Number.NaN);
    gauge.set(7);
    gauge.set(Number.NaN);
    expect(samples(await page(meter), "test_passes_total")).toEqual([
      'test_passes_total{controller="jobs",outcome="noop"} 0',
    ]);
    expect(samples(await page(meter), "test_seconds_count")).toEqual(['test_seconds_count{controller="jobs"} 0']);
    expect(samples(await page(meter), "test_depth")).toEqual(['test_depth{controller="jobs"} 7']);
    expect(warnings).toHaveLength(3);
  });

  it("ends a series with remove, whoever still holds it", async () => {
    const { meter } = meterWith();
    const held = meter.gauge(depth).labels({ controller: "gone" });
    held.set(1);
    meter.gauge(depth).labels({ controller: "here" }).add(2);
    meter.gauge(depth).remove({ controller: "gone" });
    meter.gauge(depth).remove({ controller: "never" });
    held.set(5);
    expect(samples(await page(meter), "test_depth")).toEqual(['test_depth{controller="here"} 2']);
  });

  it("reads gauges before each scrape; one that fails costs nobody else", async () => {
    const { meter, warnings } = meterWith();
    let keys = 0;
    meter.onCollect(() => {
      throw new Error("no queue");
    });
    const stop = meter.onCollect(() =>
      meter
        .gauge(depth)
        .labels({ controller: "jobs" })
        .set((keys += 1)),
    );
    expect(samples(await page(meter), "test_depth")).toEqual(['test_depth{controller="jobs"} 1']);
    expect(samples(await page(meter), "test_depth")).toEqual(['test_depth{controller="jobs"} 2']);
    stop();
    expect(samples(await page(meter), "test_depth")).toEqual(['test_depth{controller="jobs"} 2']);
    expect(warnings).toEqual([{ metric: "collect", problem: "no queue" }]);
  });

  it("tells its version, and about its process only numbers", async () => {
    const meter = new PrometheusMeter({ version: "1.2.3" });
    const text = await page(meter);
    expect(text).toContain(`stalewatch_build_info{version="1.2.3",node="${process.version}"} 1\n`);
    expect(samples(text, "process_cpu_seconds_total")).toHaveLength(1);
    expect(samples(text, "nodejs_heap_size_used_bytes")).toHaveLength(1);
    expect(text).not.toMatch(/ nan$/im);
  });
});

describe("PrometheusMeter per-object families", () => {
  it("caps them, counts what was left out, and lets the next one in when there is room", async () => {
    const { meter } = meterWith({ maxSeries: 2 });
    const family = meter.gauge(stuck);
    for (const name of ["a", "b", "c"]) family.labels({ name }).set(1);
    expect(samples(await page(meter), stuck.name)).toEqual([`${stuck.name}{name="a"} 1`, `${stuck.name}{name="b"} 1`]);
    expect(await page(meter)).toContain(`stalewatch_series_dropped_total{family="${stuck.name}"} 1\n`);
    family.remove({ name: "a" });
    family.labels({ name: "c" }).set(3);
    expect(samples(await page(meter), stuck.name)).toEqual([`${stuck.name}{name="b"} 1`, `${stuck.name}{name="c"} 3`]);
  });

  it("shows what the client itself would show, after any sequence of changes", async () => {
    const name = fc.string({ unit: "grapheme", maxLength: 6 });
    const step = fc.record({ name, remove: fc.boolean(), value: fc.double({ noNaN: true }) });
    const plain: MetricDefinition<"name"> = {
      name: stuck.name,
      type: "gauge",
      help: "Since.",
      labels: stuck.labels,
      stability: "ALPHA",
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const cached = meterWith().meter;
        const rendered = meterWith().meter;
        for (const [meter, definition] of [
          [cached, stuck],
          [rendered, plain],
        ] as const) {
          const family = meter.gauge(definition);
          for (const [at, step] of steps.entries()) {
            if (step.remove) family.remove({ name: step.name });
            else family.labels({ name: step.name }).set(step.value);
            if (at % 7 === 0) await meter.scrape();
          }
        }
        expect(await stuckLines(cached)).toEqual(await stuckLines(rendered));
      }),
      { numRuns: 200 },
    );
  });
});

describe("PrometheusMeter histograms", () => {
  it("count each observation in every bucket at or above it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: 0, max: 3, noNaN: true })), async (values) => {
        const { meter } = meterWith();
        const series = meter.histogram(seconds).labels({ controller: "jobs" });
        for (const value of values) series.observe(value);
        const counts = samples(await page(meter), "test_seconds_bucket").map((line) => Number(line.split(" ")[1]));
        const expected = [1e-8, 0.1, 1, Infinity].map((bound) => values.filter((value) => value <= bound).length);
        expect(counts).toEqual(expected);
      }),
    );
  });
});

describe("PrometheusMeter attached registries", () => {
  const text = "text/plain; version=0.0.4; charset=utf-8";
  const own = "# HELP app_jobs Jobs.\n# TYPE app_jobs gauge\napp_jobs 4\n";

  it("appends what they say, in the one format that they speak", async () => {
    const { meter } = meterWith();
    meter.attach({ contentType: text, metrics: async () => own });
    const scrape = await meter.scrape(OPENMETRICS);
    expect(scrape.contentType).toBe(text);
    expect(scrape.body.toString().endsWith(own)).toBe(true);
  });

  it("keeps one end mark when they speak OpenMetrics", async () => {
    const { meter } = meterWith();
    meter.attach({
      contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
      metrics: () => `${own}# EOF\n`,
    });
    expect((await page(meter)).endsWith(`${own}# EOF\n`)).toBe(true);
    expect((await page(meter)).match(/# EOF/g)).toHaveLength(1);
  });

  it("refuses a registry that speaks neither format, or another one than the first", () => {
    const { meter } = meterWith();
    expect(() => meter.attach({ contentType: "application/json", metrics: () => "" })).toThrow(/application\/json/);
    meter.attach({ contentType: text, metrics: () => "" });
    expect(() => meter.attach({ contentType: "application/openmetrics-text", metrics: () => "" })).toThrow(
      /share a page/,
    );
  });

  it("leaves out a family that is ours already, a registry that fails, and one that hangs", async () => {
    const clock = new ManualClock();
    const { meter, warnings } = meterWith({ clock });
    meter.gauge(depth).labels({ controller: "jobs" }).set(1);
    meter.attach({ contentType: text, metrics: () => `# TYPE test_depth gauge\ntest_depth 9\n${own}` });
    meter.attach({ contentType: text, metrics: () => Promise.reject(new Error("registry broke")) });
    meter.attach({ contentType: text, metrics: () => new Promise(() => {}) });
    const scrape = page(meter);
    while (clock.pending === 0) await new Promise(setImmediate);
    clock.advance(5_000);
    const result = await scrape;
    expect(samples(result, "test_depth")).toEqual(['test_depth{controller="jobs"} 1']);
    expect(result).toContain(own);
    expect(warnings.map(({ problem }) => problem)).toEqual([
      "the family test_depth is already exported",
      "registry broke",
      "no answer within 5 s",
    ]);
  });
});
