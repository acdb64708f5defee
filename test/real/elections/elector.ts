// One of our electors as a process: `node elector.ts JSON`. While it leads it writes its identity into a ConfigMap, five times a second.
// Says on standard output when it leads, when each write goes out, and when it has lost the lease.
import { writeSync } from "node:fs";
import { sleep, systemClock } from "../../../src/base/index.ts";
import { LeaderElector } from "../../../src/election/index.ts";
import { KubeClient, loadCluster } from "../../../src/kube/index.ts";
import { resources } from "../../../src/resources/index.ts";
import { stopOnSignals } from "../../../src/controller/index.ts";

interface Task {
  readonly kubeconfig: string;
  /** Of the Lease and of the ConfigMap. */
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

const task = JSON.parse(process.argv[2] ?? "") as Task;
const { kubeconfig, namespace, name, identity } = task;
const { transport } = await loadCluster({ kubeconfig });
const client = new KubeClient({ transport });
const elector = new LeaderElector({
  ...task,
  lease: { namespace, name },
  client: new KubeClient({ transport, pool: "election" }),
});

function say(what: string): void {
  writeSync(1, `${JSON.stringify({ at: Date.now(), what })}\n`); // at once, whatever becomes of the process
}

function beforeSend(): void {
  elector.requireLeadership();
  say("write");
}

async function write(): Promise<void> {
  const patch = { type: "merge", body: { data: { by: identity, at: String(Date.now()) } } } as const;
  await client.patch(resources.configMaps, { namespace, name }, patch, { beforeSend });
}

/** Heeds the loss only before it writes, so that what keeps its writes back is the elector. */
async function lead(signal: AbortSignal, lost: AbortSignal): Promise<void> {
  say("leading");
  lost.addEventListener("abort", () => say("lost"));
  while (!signal.aborted) {
    await write().catch((error: Error) => say(error.message));
    await sleep(systemClock, 200, signal).catch(() => {}); // told to stop: the condition sees it
  }
}

await elector.run({ signal: stopOnSignals(), lead });
say("stopped");
process.exit();
