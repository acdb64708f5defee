import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** What every client of the informer benchmark prints, the Go one included. */
export interface Listed {
  phase: "listed";
  objects: number;
  cpuSeconds: number;
  wallSeconds: number;
  /** Live heap after a collection, above what the process had before the list. */
  heapBytes: number;
  /** Longest time that the event loop was not free; absent for clients without one. */
  longestBlockMs?: number;
}
export interface Watched {
  phase: "events";
  count: number;
  cpuSeconds: number;
  wallSeconds: number;
}

const RESOLUTION_MS = 1;

/** How often a client that was told how many events there are looks whether it has them all. */
const LOOK_MS = 50;
/** Nothing more is coming when nothing came for so long. */
const PATIENCE_MS = 20_000;

/** Measures one client: `list` until everything is cached, then `events()` until as many came as the line "stop COUNT" says. */
export async function measure(list: () => Promise<number>, events: () => number): Promise<void> {
  const heapBefore = collectedHeap();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const stopList = stopwatch();
  delay.enable();
  const objects = await list();
  delay.disable();
  const listed: Listed = {
    phase: "listed",
    objects,
    ...stopList(),
    heapBytes: collectedHeap() - heapBefore,
    longestBlockMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
  };
  print(listed);

  const stopWatch = stopwatch();
  const before = events();
  let made = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    made = Number(/^stop (\d+)$/.exec(line)?.[1] ?? 0);
    if (made > 0) break;
  }
  for (let waited = 0; events() - before < made && waited < PATIENCE_MS; waited += LOOK_MS) await sleep(LOOK_MS);
  const watched: Watched = { phase: "events", count: events() - before, ...stopWatch() };
  print(watched);
  process.exit(0);
}

function stopwatch(): () => { cpuSeconds: number; wallSeconds: number } {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const used = process.cpuUsage(cpu);
    return { cpuSeconds: (used.user + used.system) / 1e6, wallSeconds: (performance.now() - wall) / 1e3 };
  };
}

function collectedHeap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function print(line: Listed | Watched): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
