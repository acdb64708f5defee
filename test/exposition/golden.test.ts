import { describe, expect, it } from "vitest";
import { catalog, PrometheusMeter } from "../../src/exposition/index.ts";
import type { LabelValues, MetricDefinition, SpanContext } from "../../src/telemetry/index.ts";
import { promtool, promtoolMissing } from "../mixin/promtool.ts";
import { ManualClock } from "./manual-clock.ts";

const span: SpanContext = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };

/** A meter with one sample in each family of the catalog: the first value of a closed label, the label's own name for an open one. */
function filledMeter(): PrometheusMeter {
  const meter = new PrometheusMeter({ catalog, processMetrics: false, clock: new ManualClock() });
  for (const definition of catalog) {
    const labels = sampleLabels(definition);
    if (definition.type === "counter") meter.counter(definition).labels(labels).inc(1, span);
    if (definition.type === "gauge") meter.gauge(definition).labels(labels).set(1_767_323_045);
    if (definition.type === "histogram") meter.histogram(definition).labels(labels).observe(0.02, span);
  }
  return meter;
}

function sampleLabels({ labels }: MetricDefinition): LabelValues<string> {
  return Object.fromEntries(
    Object.entries(labels).map(([name, values]) => [name, values === "open" ? name : (values[0] ?? "")]),
  );
}

describe("golden scrape", () => {
  it.each([
    ["text", undefined],
    ["openmetrics", "application/openmetrics-text;version=1.0.0"],
  ])("in %s", async (format, accept) => {
    const page = (await filledMeter().scrape(accept)).body.toString();
    for (const { name } of catalog)
      expect(page).toContain(`# TYPE ${format === "text" ? name : name.replace(/_total$/, "")} `);
    await expect(page).toMatchFileSnapshot(`golden/scrape.${format}.txt`);
  });

  it.skipIf(promtoolMissing)("is clean to promtool, process families included", async () => {
    const meter = new PrometheusMeter({ version: "0.1.0" });
    const pages = [await filledMeter().scrape(), await meter.scrape()];
    for (const { body } of pages) expect(promtool(["check", "metrics"], body.toString())).toBe("");
  });

  it.skipIf(promtoolMissing)("would not be clean with a gauge named like a counter", () => {
    expect(promtool(["check", "metrics"], "# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n")).not.toBe("");
  });
});
