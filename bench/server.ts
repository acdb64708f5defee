// The informer benchmark's server: an embedded cluster on a loopback port, full of Jobs. Prints its kubeconfig, then obeys
// "events COUNT RATE" (updates, spread over the Jobs) and prints a line when all are made.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { resources } from "../src/resources/index.ts";
import { EmbeddedCluster } from "../src/testing/index.ts";
import { jobOfTwoPointSevenKilobytes } from "./jobs.ts";

const TICK_MS = 10;
const OWNERS = 500;
const count = Number(process.argv[2]);
const kubeconfig = process.argv[3] ?? "";

const cluster = await EmbeddedCluster.start({ http: true, historySize: 20_000 });
writeFileSync(kubeconfig, cluster.kubeconfig());
const owners = Array.from({ length: OWNERS }, (_, index) => {
  const metadata = { name: `export-${index}`, namespace: "bench" };
  const { name, uid } = cluster.objects.create(resources.cronJobs, { metadata }).metadata;
  return { name, uid };
});
for (let index = 0; index < count; index += 1) {
  const owner = owners[index % OWNERS] as (typeof owners)[number];
  cluster.objects.create(resources.jobs, jobOfTwoPointSevenKilobytes(index, owner));
}
print({ ready: true });

for await (const line of createInterface({ input: process.stdin })) {
  const [command, amount, rate] = line.split(" ");
  if (command === "events") await makeEvents(Number(amount), Number(rate));
}

/** Updates in small even lots, so that both clients see the same rate whatever they cost. */
async function makeEvents(amount: number, perSecond: number): Promise<void> {
  const start = performance.now();
  for (let made = 0; made < amount;) {
    const due = Math.min(amount, ((performance.now() - start) / 1_000) * perSecond);
    for (; made < due; made += 1) touch(made);
    await sleep(TICK_MS);
  }
  print({ made: amount, seconds: (performance.now() - start) / 1_000 });
}

function touch(made: number): void {
  const ref = { namespace: "bench", name: `job-${made % count}` };
  cluster.objects.update(resources.jobs, ref, (job) => {
    // 7 does not divide the number of Jobs: a second lap changes each of them again.
    job.status.active = 1 + (made % 7);
  });
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
