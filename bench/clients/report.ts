import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";

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

/** Measures one client: `list` until everything is cached, then whatever `events()` counts until the line "stop" comes in. */
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
  for await (const line of createInterface({ input: process.stdin })) if (line === "stop") break;
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
