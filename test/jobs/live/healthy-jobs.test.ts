import { expect, it, vi } from "vitest";
import { resources } from "../../../src/resources/index.ts";
import { EmbeddedCluster } from "../../../src/testing/index.ts";
import { addJob, addPod, Judging } from "./rig.ts";

const JOBS = 5_000;
const MINUTES = 10;
const started = { startTime: "2026-01-01T00:00:00Z" };
const fates = [
  { job: { ...started, active: 1, ready: 1 }, pod: "Running" },
  { job: { ...started, succeeded: 1, conditions: [{ type: "Complete", status: "True" }] }, pod: "Succeeded" },
  { job: { ...started, failed: 1, conditions: [{ type: "Failed", status: "True" }] }, pod: "Failed" },
];

interface Cost {
  /** Calls to the API server, without what differs from run to run. */
  readonly calls: readonly string[];
  /** Keys that wait for their time. */
  readonly waiting: readonly string[];
  readonly passes: number;
}

/** What so many healthy Jobs with a pod each cost in ten minutes, in which some of them change. */
async function costOf(jobs: number, deadline?: number): Promise<Cost> {
  await using cluster = await EmbeddedCluster.start();
  for (let index = 0; index < jobs; index += 1) {
    const fate = fates[index % fates.length] as (typeof fates)[number];
    const spec = index === 0 && deadline !== undefined ? { activeDeadlineSeconds: deadline } : {};
    const { uid } = addJob(cluster, `job-${index}`, { status: fate.job, spec });
    addPod(cluster, `job-${index}`, uid, { status: { phase: fate.pod } });
  }
  const calls: string[] = [];
  const open = cluster.transport.bind(cluster);
  vi.spyOn(cluster, "transport").mockImplementation(() => {
    const inner = open();
    return {
      exchange: (request) => {
        calls.push(`${request.method} ${request.path.replaceAll(/(?:resourceVersion|timeoutSeconds)=\d+/g, "")}`);
        return inner.exchange(request);
      },
      close: () => inner.close(),
    };
  });
  await using judging = await Judging.start(cluster);
  for (let minute = 0; minute < MINUTES; minute += 1) {
    for (let index = 0; index < jobs / 100; index += 1) touch(cluster, `job-${index * fates.length}`, minute);
    await cluster.settle({ advance: 60_000 });
  }
  expect(judging.states()).toEqual([]);
  return { calls: calls.toSorted(), waiting: judging.waiting(), passes: judging.passes("jobs") };
}

/** A Job that runs, and stays healthy; each time another pod of it is told of. */
function touch(cluster: EmbeddedCluster, job: string, minute: number): void {
  cluster.objects.patch(resources.jobs, job, { status: { ready: minute % 2 } });
  cluster.objects.patch(resources.pods, `${job}-x`, { status: { message: `minute ${minute}` } });
}

/** Calls that were made more often. An empty cache asks once whether it is to be empty, so there may be fewer. */
function callsBeyond(less: Cost, more: Cost): readonly string[] {
  const left = [...less.calls];
  return more.calls.filter((call) => {
    const at = left.indexOf(call);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

it("5000 healthy Jobs cost no timer, and no call that an empty cluster does not cost", async () => {
  const none = await costOf(0);
  const many = await costOf(JOBS);
  expect(many.passes).toBeGreaterThan(JOBS);
  expect(many.waiting).toEqual([]);
  expect(callsBeyond(none, many)).toEqual([]);
});

it("a deadline costs one timer, and no call", async () => {
  const none = await costOf(0);
  const limited = await costOf(3, 86_400 * 365 * 5);
  expect(limited.waiting).toHaveLength(1);
  expect(callsBeyond(none, limited)).toEqual([]);
});
