import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../src/jobs/index.ts";
import { type Benchmark, compare, type Comparison, median } from "./benchmark.ts";
import { Child } from "./child.ts";
import type { Used } from "./clients/sidecar.ts";
import { type PageTimes, timesOfPage } from "./load/page.ts";
import { checkFindings, STUCK } from "./load/runs.ts";

const EVENTS_A_SECOND = 500;
const EVENTS = 7_500;
const SCRAPES = 21;
const BETWEEN_SCRAPES_MS = 50;
const LOOK_MS = 250;

/** What Node takes for its heap in a container of 512 MiB, the limit of deploy/. */
const CONTAINER = ["--max-old-space-size=256", "--max-semi-space-size=1"];
const CONTAINER_MIB = 512;

interface Served {
  readonly metrics: string;
  readonly status: string;
}

interface Measured {
  readonly secondsToVerdicts: number;
  readonly filled: Used;
  readonly loaded: Used;
  readonly scrapeMs: number;
  readonly page: PageTimes;
}

/** The whole sidecar with 50 050 Jobs, 100 000 pods, 200 of the Jobs stuck in eight ways, in the heap that its container leaves it. */
export const sidecarLoad: Benchmark = {
  name: "sidecar-load",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "stalewatch-bench-"));
    const kubeconfig = join(folder, "kubeconfig");
    try {
      await using server = Child.script("load/server.ts", kubeconfig);
      await server.next();
      return figures(await measure(server, kubeconfig));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function measure(server: Child, kubeconfig: string): Promise<Measured> {
  const start = performance.now();
  await using sidecar = Child.scriptWith(CONTAINER, "clients/sidecar.ts", kubeconfig);
  const { metrics, status } = await Promise.race([sidecar.next<Served>(), server.failed]);
  while ((await findingsOf(status)).length < STUCK || (await queued(status)) > 0) await sleep(LOOK_MS);
  const secondsToVerdicts = (performance.now() - start) / 1_000;
  const filled = await used(sidecar);

  server.send(`events ${EVENTS} ${EVENTS_A_SECOND}`);
  await server.next();
  const loaded = await used(sidecar);
  checkFindings(await findingsOf(status));

  const page = `${metrics}/metrics`;
  const scrapes: number[] = [];
  for (let round = 0; round < SCRAPES; round += 1) {
    scrapes.push(await millisecondsOf(page));
    await sleep(BETWEEN_SCRAPES_MS);
  }
  const text = new Uint8Array(await (await fetch(page)).arrayBuffer());
  return { secondsToVerdicts, filled, loaded, scrapeMs: median(scrapes), page: await timesOfPage(text) };
}

/** Before the caches are filled the sidecar knows of none. */
async function findingsOf(status: string): Promise<readonly Pick<Finding, "kind" | "state">[]> {
  const response = await fetch(`${status}/api/v1/jobs`);
  return ((await response.json()) as { findings: readonly Finding[] }).findings;
}

/** How many keys of all controllers wait for a pass that is due, or have one. */
async function queued(status: string): Promise<number> {
  const response = await fetch(`${status}/api/v1/queues?limit=0`);
  const { controllers } = (await response.json()) as {
    controllers: readonly { totals: { depth: number; processing: number } }[];
  };
  return controllers.reduce((sum, { totals }) => sum + totals.depth + totals.processing, 0);
}

async function used(sidecar: Child): Promise<Used> {
  sidecar.send("used");
  return sidecar.next<Used>();
}

/** From the request to the last byte, which nobody looks at. */
function millisecondsOf(url: string): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume().once("end", () => resolve(performance.now() - start));
    }).once("error", reject);
  });
}

function figures({ secondsToVerdicts, filled, loaded, scrapeMs, page }: Measured): Comparison[] {
  return [
    limit("sidecar with 50 000 Jobs: start to all verdicts", "s", secondsToVerdicts, 60),
    limit("its live heap", "MiB", loaded.heapBytes / 2 ** 20, 256),
    limit("the most that was resident", "MiB", loaded.peakBytes / 2 ** 20, CONTAINER_MIB),
    limit("CPU a second at 500 events/s", "ms", (1_000 * loaded.cpuSeconds) / loaded.wallSeconds, 250),
    limit("longest event-loop block while it fills", "ms", filled.longestBlockMs, 50),
    limit("longest event-loop block at 500 events/s", "ms", loaded.longestBlockMs, 50),
    limit("a scrape of its /metrics, over HTTP", "ms", scrapeMs, 20),
    compare({
      name: `making that page: ${page.series} series`,
      unit: "ms",
      ours: page.ours,
      peer: "prom-client registry",
      peerValue: page.peer,
      goal: 1 / 5,
    }),
  ];
}

function limit(name: string, unit: string, ours: number, most: number): Comparison {
  return compare({ name, unit, ours, peer: "limit", peerValue: most, goal: 1 });
}
