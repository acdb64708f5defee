import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, pause, sampleOf, Sidecar } from "../real/harness/index.ts";

/** `STALEWATCH_SOAK_SECONDS=60 npm run test:long` for a look. */
const seconds = Number(process.env["STALEWATCH_SOAK_SECONDS"] ?? 600);
const jobs = 2_000;
const eventsPerSecond = 1_000;

interface Reading {
  heap: number;
  resident: number;
}

let server: ChildProcessWithoutNullStreams;
let answers: Interface;
let sidecar: Sidecar;

beforeAll(async () => {
  const script = join(import.meta.dirname, "busy-server.ts");
  server = spawn(process.execPath, [script, String(jobs), String(eventsPerSecond)], { stdio: "pipe" });
  server.stderr.pipe(process.stderr);
  answers = createInterface({ input: server.stdout });
  const { kubeconfig } = await answer<{ kubeconfig: string }>();
  const path = join(mkdtempSync(join(tmpdir(), "stalewatch-soak-")), "kubeconfig");
  writeFileSync(path, kubeconfig);
  sidecar = await Sidecar.start({ kubeconfig: path });
});
afterAll(async () => {
  await sidecar?.[Symbol.asyncDispose]();
  server?.kill("SIGKILL");
});

test(`${seconds} s at ${eventsPerSecond} events a second hold the sidecar's memory flat`, async () => {
  await pause(seconds * 100); // the first tenth warms up
  const readings: Reading[] = [];
  const end = performance.now() + seconds * 900;
  while (performance.now() < end) {
    readings.push(read(await sidecar.metrics()));
    await pause(1_000);
  }
  // The least of a third of the time: what garbage collection could not take.
  const third = Math.floor(readings.length / 3);
  const early = floor(readings.slice(0, third));
  const late = floor(readings.slice(-third));
  console.log(`heap ${mib(early.heap)} -> ${mib(late.heap)}, resident ${mib(early.resident)} -> ${mib(late.resident)}`);
  expect(late.heap).toBeLessThan(early.heap * 1.05 + 2 ** 20);
  expect(late.resident).toBeLessThan(early.resident * 1.1 + 2 ** 23);

  server.stdin.write("\n");
  const { events, version } = await answer<{ events: number; version: string }>();
  expect(events).toBeGreaterThan(seconds * eventsPerSecond * 0.95);
  await eventually("the sidecar has seen them all", async () => {
    const labels = { name: "stalewatch", resource: "jobs" };
    return (sampleOf(await sidecar.metrics(), "store_resource_version", labels) ?? 0) >= Number(version);
  });
  expect(
    sampleOf(await sidecar.metrics(), "stalewatch_relists_total", { resource: "jobs", reason: "expired" }) ?? 0,
  ).toBe(0);
});

async function answer<T>(): Promise<T> {
  const [line] = (await once(answers, "line")) as [string];
  return JSON.parse(line) as T;
}

function read(page: string): Reading {
  return {
    heap: sampleOf(page, "nodejs_heap_size_used_bytes") ?? Number.NaN,
    resident: sampleOf(page, "process_resident_memory_bytes") ?? Number.NaN,
  };
}

function floor(readings: readonly Reading[]): Reading {
  return {
    heap: Math.min(...readings.map(({ heap }) => heap)),
    resident: Math.min(...readings.map(({ resident }) => resident)),
  };
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
