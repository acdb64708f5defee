// An embedded API server in a process of its own, whose Jobs change at a steady rate until it is ended: see soak.test.ts.
// usage: node busy-server.ts JOBS EVENTS_PER_SECOND; prints one JSON line, then one for each line that it reads.
import { createInterface } from "node:readline";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";

const [jobs = 1_000, eventsPerSecond = 1_000] = process.argv.slice(2).map(Number);
const template = { spec: { containers: [{ name: "main", image: "example.test/main" }] } };

const cluster = await EmbeddedCluster.start({ http: true });
for (let index = 0; index < jobs; index += 1) {
  const labels = { team: `team-${index % 20}` };
  cluster.objects.create(resources.jobs, {
    metadata: { name: `job-${index}`, labels },
    spec: { template },
    status: {},
  });
}
console.log(JSON.stringify({ kubeconfig: cluster.kubeconfig() }));

const startedAt = performance.now();
let events = 0;
setInterval(() => {
  const due = Math.floor(((performance.now() - startedAt) / 1_000) * eventsPerSecond);
  for (; events < due; events += 1) {
    // One Job in a hundred is deleted and made again: caches must let go of what is gone.
    const name = `job-${events % jobs}`;
    if (events % 100 === 99) {
      cluster.objects.delete(resources.jobs, name);
      cluster.objects.create(resources.jobs, { metadata: { name }, spec: { template }, status: {} });
      events += 1;
    } else {
      cluster.objects.patch(resources.jobs, name, { status: { active: events % 7, ready: events % 3 } });
    }
  }
}, 10);

for await (const _ of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ events, version: cluster.currentVersion(), objects: jobs }));
}
process.exit();
