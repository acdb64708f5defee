// The whole sidecar, as `stalewatch run` starts it. Argument: a kubeconfig file. Prints where it serves; at each line on standard input
// what it has used since the last one.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { loadCluster } from "../../src/kube/index.ts";
import { Sidecar, type SidecarUrls } from "../../src/sidecar/index.ts";

export interface Used {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly longestBlockMs: number;
  /** The most that was ever resident. */
  readonly peakBytes: number;
  /** Resident now, before a collection. */
  readonly residentBytes: number;
  /** Live heap after a collection. */
  readonly heapBytes: number;
}

const RESOLUTION_MS = 1;
const SETTLE_MS = 20;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
const cluster = await loadCluster({ kubeconfig: process.argv[2] ?? "" });
const loopback = "127.0.0.1:0";
const sidecar = new Sidecar({
  cluster,
  listen: { metrics: loopback, health: loopback, status: loopback },
  version: "0.0.0",
});
void sidecar.run(new AbortController());
print(await sidecar.whenListening());

await sleep(SETTLE_MS);
delay.reset(); // what a start costs anyway, the loading of modules above all
let cpu = process.cpuUsage();
let wall = performance.now();
for await (const _line of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage(cpu);
  const wallSeconds = (performance.now() - wall) / 1_000;
  const longestBlockMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  const { rss: residentBytes } = process.memoryUsage();
  const peakBytes = process.resourceUsage().maxRSS * 1_024;
  globalThis.gc?.();
  const { heapUsed: heapBytes } = process.memoryUsage();
  const cpuSeconds = (user + system) / 1e6;
  await sleep(SETTLE_MS); // or the collection would count as a block of what comes next
  print({ cpuSeconds, wallSeconds, longestBlockMs, peakBytes, residentBytes, heapBytes });
  delay.reset();
  cpu = process.cpuUsage();
  wall = performance.now();
}

function print(line: Used | SidecarUrls): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
