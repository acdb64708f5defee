import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Benchmark, compare, type Comparison } from "./benchmark.ts";
import { Child } from "./child.ts";
import type { Listed, Watched } from "./clients/report.ts";

const JOBS = 50_000;
const EVENTS = 100_000;
const EVENTS_A_SECOND = 10_000;

interface Result {
  listed: Listed;
  watched: Watched;
}

/** List, cache and watch 50 000 Jobs of 2.7 kB from one server; each client is a process of its own. */
export const informer: Benchmark = {
  name: "informer",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "stalewatch-bench-"));
    const kubeconfig = join(folder, "kubeconfig");
    try {
      await using server = Child.script("server.ts", String(JOBS), kubeconfig);
      await server.next();
      const ours = await runClient("clients/ours.ts", kubeconfig, server);
      const peer = await runClient("clients/client-node.ts", kubeconfig, server);
      return figures(ours, peer);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function runClient(script: string, kubeconfig: string, server: Child): Promise<Result> {
  await using client = Child.script(script, kubeconfig);
  const listed = await Promise.race([client.next<Listed>(), server.failed]);
  server.send(`events ${EVENTS} ${EVENTS_A_SECOND}`);
  await server.next();
  client.send(`stop ${EVENTS}`);
  const watched = await client.next<Watched>();
  if (listed.objects !== JOBS) throw new Error(`${script} cached ${listed.objects} Jobs of ${JOBS}`);
  if (watched.count !== EVENTS) throw new Error(`${script} saw ${watched.count} events of ${EVENTS}`);
  return { listed, watched };
}

function figures(ours: Result, peer: Result): Comparison[] {
  const name = "client-node";
  const perEvent = ({ watched }: Result): number => (watched.cpuSeconds * 1e6) / watched.count;
  const perObject = ({ listed }: Result): number => (listed.cpuSeconds * 1e6) / listed.objects;
  const heap = ({ listed }: Result): number => listed.heapBytes / listed.objects;
  return [
    compare({
      name: "CPU a watch event",
      unit: "us",
      ours: perEvent(ours),
      peer: name,
      peerValue: perEvent(peer),
      goal: 1 / 5,
    }),
    compare({
      name: "CPU a listed Job",
      unit: "us",
      ours: perObject(ours),
      peer: name,
      peerValue: perObject(peer),
      goal: 1 / 6,
    }),
    compare({
      name: "heap a cached Job",
      unit: "bytes",
      ours: heap(ours),
      peer: name,
      peerValue: heap(peer),
      goal: 1 / 15,
    }),
    compare({
      name: "longest event-loop block in the list",
      unit: "ms",
      ours: ours.listed.longestBlockMs ?? Number.NaN,
      peer: "limit",
      peerValue: 50,
      goal: 1,
    }),
  ];
}
