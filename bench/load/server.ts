// The server of the sidecar's load: an embedded cluster on a loopback port with 50 050 Jobs and 100 000 pods, made an hour ago. Argument:
// where to write its kubeconfig. Obeys "events COUNT RATE" (in turn a Job and a pod that are healthy and stay so).
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock } from "../../src/base/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { CRONJOBS, JOBS, runsAt, STUCK } from "./runs.ts";

const TICK_MS = 10;
const HOUR_MS = 3_600_000;

let lateMs = HOUR_MS;
const clock: Clock = { ...systemClock, now: () => systemClock.now() - lateMs };
const cluster = await EmbeddedCluster.start({ http: true, clock, historySize: 20_000 });
writeFileSync(process.argv[2] ?? "", cluster.kubeconfig());
const runAt = runsAt(systemClock.now());
const owners = Array.from({ length: CRONJOBS }, (_, index) => {
  const draft = { metadata: { name: `export-${index}`, namespace: "bench" }, spec: { schedule: "0 0 1 1 *" } };
  const { name, uid } = cluster.objects.create(resources.cronJobs, draft).metadata;
  return { name, uid };
});
let pods = 0;
for (let index = 0; index < JOBS; index += 1) {
  const run = runAt(index, owners[index % CRONJOBS] as (typeof owners)[number]);
  const { uid } = cluster.objects.create(resources.jobs, run.job).metadata;
  for (const pod of run.pods(uid)) {
    cluster.objects.create(resources.pods, pod);
    pods += 1;
  }
}
lateMs = 0;
print({ jobs: JOBS, pods });

for await (const line of createInterface({ input: process.stdin })) {
  const [command, amount, rate] = line.split(" ");
  if (command === "events") await makeEvents(Number(amount), Number(rate));
}

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
  const name = `job-${STUCK + (made % (CRONJOBS - STUCK))}`;
  if (made % 2 === 0) {
    cluster.objects.update(resources.jobs, { namespace: "bench", name }, (job) => {
      job.status.ready = 1 + (made % 3);
    });
  } else {
    const ref = { namespace: "bench", name: `${name}-0` };
    cluster.objects.update(resources.pods, ref, (pod) => {
      const [status] = pod.status.containerStatuses ?? [];
      if (status) status.ready = made % 3 === 0;
      pod.status.message = `event ${made}`;
    });
  }
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
