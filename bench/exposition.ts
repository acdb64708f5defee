import { Gauge, Registry } from "prom-client";
import { PrometheusMeter } from "../src/exposition/index.ts";
import { stuckSince } from "../src/jobs/index.ts";
import { type Benchmark, compare, median } from "./benchmark.ts";

const SERIES = 50_000;
const ROUNDS = 7;
const SINCE = 1_767_323_045;

type Labels = Parameters<ReturnType<PrometheusMeter["gauge"]>["labels"]>[0];

/** A page with 50 000 series, one an object, of which one in a thousand changed since the last scrape. */
export const exposition: Benchmark = {
  name: "exposition",
  async run() {
    const ours = await timeOurs();
    const peer = await timePeer();
    return [
      compare({
        name: "/metrics with 50 000 per-object series",
        unit: "ms",
        ours,
        peer: "prom-client registry",
        peerValue: peer,
        goal: 1 / 5,
      }),
    ];
  },
};

function labels(index: number): Labels {
  const name = `export-${index}`;
  const owner = { owner_kind: "CronJob", owner_name: `export-${index % 500}` };
  return { kind: "S13", reason: "ImagePullBackOff", namespace: `team-${index % 40}`, ...owner, resource: "jobs", name };
}

async function timeOurs(): Promise<number> {
  const meter = new PrometheusMeter({ maxSeries: SERIES, processMetrics: false });
  const family = meter.gauge(stuckSince);
  const members = Array.from({ length: SERIES }, (_, index) => family.labels(labels(index) as never));
  for (const member of members) member.set(SINCE);
  await meter.scrape();
  return timed(
    (round) => {
      for (let index = round; index < SERIES; index += 1_000) members[index]?.set(SINCE + round);
    },
    () => meter.scrape(),
  );
}

async function timePeer(): Promise<number> {
  const registry = new Registry();
  const gauge = new Gauge({
    name: stuckSince.name,
    help: stuckSince.help,
    labelNames: Object.keys(stuckSince.labels),
    registers: [registry],
  });
  for (let index = 0; index < SERIES; index += 1) gauge.set(labels(index), SINCE);
  await registry.metrics();
  return timed(
    (round) => {
      for (let index = round; index < SERIES; index += 1_000) gauge.set(labels(index), SINCE + round);
    },
    async () => Buffer.from(await registry.metrics()),
  );
}

async function timed(change: (round: number) => void, render: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    change(round);
    const start = performance.now();
    await render();
    times.push(performance.now() - start);
  }
  return median(times);
}
