import { collectDefaultMetrics, Registry } from "prom-client";
import type { SampleSource } from "./registries.ts";

/**
 * What the client's defaults get wrong: gauges whose names end like a counter's, two families named after their type (both found
 * by `promtool check metrics`; the event loop's delay tells the same and better), and a minimum that is 292 years when unknown.
 */
const LEFT_OUT = [/_total$/, /^nodejs_eventloop_utilization_/, /^nodejs_eventloop_lag_min_/];

/** Longest interval that a timer takes: the sampling of the event loop's utilisation, which is left out, is as good as off. */
const NEVER_MS = 2 ** 31 - 1;

let collected: readonly SampleSource[] | undefined;

/**
 * The client's own families about this process: CPU, memory, file descriptors, event loop, heap, garbage collection. They hang on
 * hooks of the process that cannot be taken off again, so there is one set a process, made when first asked for.
 */
export function processMetrics(): readonly SampleSource[] {
  return (collected ??= collect());
}

function collect(): readonly SampleSource[] {
  const registry = new Registry();
  collectDefaultMetrics({
    register: registry,
    eventLoopUtilizationTimeout: NEVER_MS,
    eventLoopMonitoringPrecision: 20,
  });
  return registry
    .getMetricsAsArray()
    .filter(({ name, type }) => type === "counter" || !LEFT_OUT.some((pattern) => pattern.test(name)))
    .map(({ name }) => finite(registry.getSingleMetric(name) as unknown as SampleSource));
}

/** Without values that are not numbers: the mean delay of a loop that has not turned since the last scrape. */
function finite(source: SampleSource): SampleSource {
  const { name, help, type } = source;
  const get: SampleSource["get"] = async () => ({
    values: (await source.get()).values.filter(({ value }) => Number.isFinite(value)),
  });
  return { name, help, type, get };
}
