import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Workqueue } from "../src/workqueue/index.ts";
import { type Benchmark, compare, median } from "./benchmark.ts";
import { realTool } from "./tools.ts";

const KEYS = 10_000;
const ROUNDS = 100;

/** One add, get and done of a fresh key, in nanoseconds. Ours runs as a controller's worker does; client-go's is a Go program. */
export const workqueue: Benchmark = {
  name: "workqueue",
  missing: () => (realTool("queue-bench") ? undefined : "client-go's queue-bench is not built: bash .ci/run builds it"),
  async run() {
    const ours = median(await repeat(5, oursOnce));
    const peer = median(await repeat(5, peerOnce));
    return [compare({ name: "workqueue add+get+done", unit: "ns", ours, peer: "client-go", peerValue: peer, goal: 1 })];
  },
};

async function oursOnce(): Promise<number> {
  const queue = new Workqueue();
  const names = Array.from({ length: KEYS }, (_, index) => `namespace/object-${index}`);
  const cycle = async (): Promise<void> => {
    for (const name of names) queue.add(name);
    for (let taken = 0; taken < KEYS; taken += 1) {
      const key = queue.tryGet() ?? (await queue.get());
      if (key !== undefined) queue.done(key);
    }
  };
  await cycle();
  const start = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) await cycle();
  return ((performance.now() - start) * 1e6) / (KEYS * ROUNDS);
}

async function peerOnce(): Promise<number> {
  const { stdout } = await promisify(execFile)(realTool("queue-bench") ?? "");
  return (JSON.parse(stdout) as { nanosecondsPerCycle: number }).nanosecondsPerCycle;
}

async function repeat(times: number, run: () => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (let done = 0; done < times; done += 1) results.push(await run());
  return results;
}
