// npm run bench [-- --only NAME] [-- --json FILE]: every figure is measured beside its peer in this run, on this machine.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import type { Benchmark, Comparison } from "./benchmark.ts";
import { dump } from "./dump.ts";
import { exposition } from "./exposition.ts";
import { informer } from "./informer.ts";
import { informerReal } from "./informer-real.ts";
import { passTelemetry } from "./pass-telemetry.ts";
import { sidecarLoad } from "./sidecar-load.ts";
import { targets } from "./targets.ts";
import { workqueue } from "./workqueue.ts";

const benchmarks: readonly Benchmark[] = [
  workqueue,
  passTelemetry,
  exposition,
  informer,
  informerReal,
  targets,
  sidecarLoad,
  dump,
];

const { values } = parseArgs({ options: { only: { type: "string" }, json: { type: "string" } } });
const chosen = benchmarks.filter((benchmark) => values.only === undefined || benchmark.name === values.only);
if (chosen.length === 0) {
  console.error(`no benchmark is called ${values.only}: there are ${benchmarks.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const figures: Comparison[] = [];
for (const benchmark of chosen) {
  const missing = benchmark.missing?.();
  if (missing !== undefined) console.error(`left out ${benchmark.name}: ${missing}`);
  else figures.push(...(await benchmark.run()));
}

const table = new Table({
  style: { head: [], border: [] },
  head: ["what", "unit", "ours", "peer", "peer's", "ratio", "goal", "met"],
});
for (const { name, unit, ours, peer, peerValue, ratio, goal, met } of figures) {
  table.push([name, unit, round(ours), peer, round(peerValue), round(ratio), `<= ${round(goal)}`, met ? "yes" : "NO"]);
}
console.log(table.toString());
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);

function round(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
