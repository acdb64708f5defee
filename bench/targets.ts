import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { systemClock, type Transport } from "../src/base/index.ts";
import { HeadSet } from "../src/head/index.ts";
import { KubeClient } from "../src/kube/index.ts";
import { Targets } from "../src/lag/index.ts";
import { metadataOf } from "../src/resources/index.ts";
import { MetricsEndpoint } from "../src/scrape/index.ts";
import { resolveEnv } from "../src/telemetry/index.ts";
import { EmbeddedCluster, VirtualClock } from "../src/testing/index.ts";
import { type Benchmark, compare, type Comparison } from "./benchmark.ts";

const KINDS = 60;
/** 4 000 lines together, as shortly after a start; and after long work in a large cluster, whose clients and verbs each add histograms. */
const SHORT_LINES = 2_300;
const LONG_LINES = 15_300;
const WARM_PAGES = 50;
const PAGES = 100;
const INTERVAL_MS = 50;
const PERIOD_MS = 15_000;
const PERIODS = 40;

/** A controller-manager's page with 60 caches, read over HTTP and judged; and the lists that judging them takes. */
export const targets: Benchmark = {
  name: "targets",
  async run() {
    return [
      await pageFigure("as of a fresh controller-manager", SHORT_LINES),
      await pageFigure("of 1.5 MB", LONG_LINES),
      compare({
        name: `reads of ${KINDS} kinds, a kind and --probe-interval`,
        unit: "lists",
        ours: await listsOfKind(),
        peer: "limit",
        peerValue: 1,
        goal: 1,
      }),
    ];
  },
};

async function pageFigure(what: string, lines: number): Promise<Comparison> {
  const name = `page ${what}, and verdicts on ${KINDS} caches`;
  return compare({ name, unit: "ms CPU", ours: await cpuOfPage(lines), peer: "limit", peerValue: 15, goal: 1 });
}

function kindAt(at: number) {
  return { group: "bench.test", version: "v1", kind: `Kind${at}`, resource: `kind${at}s`, namespaced: true };
}

const kinds = Array.from({ length: KINDS }, (_, at) => kindAt(at));

/** The page of a kube-controller-manager 1.37, with so many lines of histograms that nobody wants. */
function pageText(version: string, lines: number): string {
  const stores = kinds.map(
    ({ group, resource }) =>
      `informer_store_resource_version{group="${group}",name="kube-controller-manager",resource="${resource}",version="v1"} ${version}`,
  );
  const queues = Array.from({ length: 54 }, (_, at) => [
    ...["depth", "adds_total", "retries_total", "unfinished_work_seconds", "longest_running_processor_seconds"].map(
      (name) => `workqueue_${name}{name="queue${at}"} ${at}`,
    ),
    ...["queue", "work"].flatMap((name) => [
      ...Array.from({ length: 11 }, (_unused, le) => {
        return `workqueue_${name}_duration_seconds_bucket{name="queue${at}",le="1e-0${le}"} ${le}`;
      }),
      `workqueue_${name}_duration_seconds_sum{name="queue${at}"} 0.15503329500000002`,
      `workqueue_${name}_duration_seconds_count{name="queue${at}"} 15`,
    ]),
  ]);
  const others = Array.from({ length: lines }, (_, at) => {
    return `rest_client_request_duration_seconds_bucket{host="127.0.0.1:6443",verb="GET",le="${at}"} ${at}`;
  });
  return `process_start_time_seconds 1.79e+09\n${[...stores, ...queues.flat(), ...others].join("\n")}\n`;
}

/** Milliseconds of this thread; the page is served by another one. */
async function cpuOfPage(lines: number): Promise<number> {
  await using cluster = await EmbeddedCluster.start({ clock: systemClock });
  for (const kind of kinds) cluster.register(kind);
  const env = resolveEnv();
  const client = new KubeClient({ transport: cluster.transport(), env });
  const heads = new HeadSet({ client, probeIntervalMs: 0, env });
  const server = await PageServer.start(pageText(cluster.currentVersion(), lines));
  const source = new MetricsEndpoint({ url: server.url });
  const kcm = { name: "kcm", address: server.url.href, source };
  const judging = { heads, probeIntervalMs: 0, budgetMs: 30_000, env };
  const judged = new Targets({ ...judging, client, targets: [kcm], intervalMs: INTERVAL_MS });
  const stop = new AbortController();
  const running = [heads.run(stop), judged.run(stop)];
  await server.answered(WARM_PAGES);
  const before = process.threadCpuUsage();
  await server.answered(WARM_PAGES + PAGES);
  const { user, system } = process.threadCpuUsage(before);
  if (judged.caches().length !== KINDS) throw new Error("the page was not read");
  stop.abort();
  await Promise.all(running);
  await server.stop();
  return (user + system) / 1_000 / PAGES;
}

async function listsOfKind(): Promise<number> {
  const clock = new VirtualClock();
  await using cluster = await EmbeddedCluster.start({ clock });
  for (const kind of kinds) cluster.register(kind);
  let lists = 0;
  const inner = cluster.transport();
  const transport: Transport = {
    exchange: (request) => {
      if (request.path.includes("limit=1")) lists += 1;
      return inner.exchange(request);
    },
    close: () => inner.close(),
  };
  const env = resolveEnv({ clock });
  const heads = new HeadSet({ client: new KubeClient({ transport, env }), probeIntervalMs: PERIOD_MS, env });
  for (const kind of kinds) heads.get(metadataOf(kind), {}, true);
  const stop = new AbortController();
  const running = heads.run(stop);
  await cluster.settle({ advance: PERIOD_MS });
  lists = 0;
  await cluster.settle({ advance: PERIODS * PERIOD_MS });
  stop.abort();
  await cluster.settle();
  await running;
  return lists / KINDS / PERIODS;
}

/** Serves one page from a thread of its own, and tells how often. */
class PageServer {
  readonly url: URL;
  readonly #worker: Worker;
  #answers = 0;

  private constructor(worker: Worker, port: number) {
    this.#worker = worker;
    this.url = new URL(`http://127.0.0.1:${port}/metrics`);
    worker.on("message", () => {
      this.#answers += 1;
    });
  }

  static async start(page: string): Promise<PageServer> {
    const script = `
      const { parentPort, workerData } = require("node:worker_threads");
      const server = require("node:http").createServer((_, response) => {
        response.setHeader("content-type", "text/plain; version=0.0.4");
        response.end(workerData, () => parentPort.postMessage(0));
      });
      server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
    `;
    const worker = new Worker(script, { eval: true, workerData: page });
    const [port] = (await once(worker, "message")) as [number];
    return new PageServer(worker, port);
  }

  async answered(times: number): Promise<void> {
    while (this.#answers < times) await once(this.#worker, "message");
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
