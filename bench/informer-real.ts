import { setTimeout as sleep } from "node:timers/promises";
import { RealCluster } from "../test/real/harness/real-cluster.ts";
import { type Benchmark, compare, type Comparison } from "./benchmark.ts";
import { Child } from "./child.ts";
import type { Listed, Watched } from "./clients/report.ts";
import { jobOfTwoPointSevenKilobytes } from "./jobs.ts";
import { realTool } from "./tools.ts";

/** Making 50 000 takes minutes: `BENCH_REAL_JOBS=50000` asks for them. */
const JOBS = Number(process.env["BENCH_REAL_JOBS"] ?? 10_000);
const EVENTS = 10_000;
/** Calls under way at once. */
const WRITERS = 16;
const GRACE_MS = 2_000;
/** On a busy machine the peer's last events may still be on their way: its CPU an event is that of those that came. */
const PEER_SHARE = 0.99;
const PATH = "/apis/batch/v1/namespaces/bench/jobs";
const TOOLS = ["openssl", "etcd", "kube-apiserver", "informer-bench"];

interface Result {
  listed: Listed;
  watched: Watched;
}

/**
 * The same beside client-go on a real API server: both list in turn and then watch the same events at the same time, because CPU an
 * event depends on their rate, which here is what the server can take.
 */
export const informerReal: Benchmark = {
  name: "informer-real",
  missing() {
    const absent = TOOLS.filter((tool) => !realTool(tool));
    return absent.length > 0 ? `${absent.join(", ")} not found: bash .ci/run builds or installs them` : undefined;
  },
  async run() {
    await using cluster = await RealCluster.start({ controllerManager: false });
    await cluster.raw.post("/api/v1/namespaces", { metadata: { name: "bench" } });
    await inParallel(JOBS, async (index) => {
      await cluster.raw.post(
        PATH,
        jobOfTwoPointSevenKilobytes(index, { name: `export-${index % 500}`, uid: uid(index) }),
      );
    });
    await using ours = Child.script("clients/ours.ts", cluster.kubeconfig());
    const oursListed = await ours.next<Listed>();
    await using peer = new Child(realTool("informer-bench") ?? "", ["-kubeconfig", cluster.kubeconfig()]);
    const peerListed = await peer.next<Listed>();
    await inParallel(EVENTS, async (made) => {
      await cluster.raw.patch(`${PATH}/job-${made % JOBS}`, { metadata: { labels: { lap: String(made) } } });
    });
    ours.send(`stop ${EVENTS}`);
    const oursWatched = await ours.next<Watched>();
    // Ours has all of them. The peer counts what it has when it is told to stop, so it gets time for what may be on its way.
    await sleep(GRACE_MS);
    peer.send("stop");
    const peerWatched = await peer.next<Watched>();
    return figures({ listed: oursListed, watched: oursWatched }, { listed: peerListed, watched: peerWatched });
  },
};

function figures(ours: Result, peer: Result): Comparison[] {
  const of = (name: string, unit: string, goal: number, value: (result: Result) => number): Comparison =>
    compare({ name, unit, ours: value(ours), peer: "client-go", peerValue: value(peer), goal });
  for (const [{ listed, watched }, fewest] of [[ours, EVENTS] as const, [peer, EVENTS * PEER_SHARE] as const]) {
    if (listed.objects !== JOBS || watched.count < fewest) {
      throw new Error(`${listed.objects} Jobs of ${JOBS} and ${watched.count} events of ${EVENTS} came`);
    }
  }
  return [
    of("CPU a watch event, real server", "us", 1, ({ watched }) => (watched.cpuSeconds * 1e6) / watched.count),
    of("CPU a listed Job, real server", "us", 1 / 2, ({ listed }) => (listed.cpuSeconds * 1e6) / listed.objects),
    of("heap a cached Job, real server", "bytes", 1 / 12, ({ listed }) => listed.heapBytes / listed.objects),
  ];
}

/** Calls `run` for 0 to `count` - 1, a few at a time. */
async function inParallel(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

/** One owner has several Jobs. */
function uid(index: number): string {
  return `00000000-0000-4000-8000-${String(index % 500).padStart(12, "0")}`;
}
