import { assert, asyncProperty, integer, shuffledSubarray } from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type KubeObject, type Resource, resources } from "../../../src/resources/index.ts";
import { EmbeddedCluster } from "../../../src/testing/index.ts";
import { addPod, Judging } from "./rig.ts";
import { STARTED, steps } from "./steps.ts";

/** What is told of each object, without uids, which are the server's to draw. */
function told(judging: Judging): readonly object[] {
  const told = judging.list().map((finding) => ({ ...finding, object: { ...finding.object, uid: "" } }));
  return told.toSorted((a, b) => (a.object.name < b.object.name ? -1 : 1));
}

/** What is told half an hour after these steps, one after the other. */
async function toldAfter(names: readonly string[]): Promise<readonly object[]> {
  await using cluster = await EmbeddedCluster.start();
  await using judging = await Judging.start(cluster);
  for (const name of names) {
    steps[name]?.(cluster);
    await cluster.settle();
  }
  await cluster.settle({ advance: 1_800_000 });
  return told(judging);
}

describe("verdicts on a cluster", () => {
  test("do not depend on the order of unrelated events", async () => {
    const expected = await toldAfter(Object.keys(steps));
    expect(expected.map((finding) => (finding as { kind: string }).kind)).toHaveLength(6);
    const orders = shuffledSubarray(Object.keys(steps), { minLength: Object.keys(steps).length });
    await assert(
      asyncProperty(orders, async (names) => {
        expect(await toldAfter(names)).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  test("are the same for whoever starts later, at any time", async () => {
    await assert(
      asyncProperty(integer({ min: 0, max: 7_200 }), async (seconds) => {
        await using cluster = await EmbeddedCluster.start();
        await using first = await Judging.start(cluster);
        for (const step of Object.values(steps)) step(cluster);
        await cluster.settle({ advance: seconds * 1_000 });
        await using second = await Judging.start(cluster);
        await cluster.settle({ advance: 500 });
        expect(told(second)).toEqual(told(first));
      }),
      { numRuns: 10 },
    );
  });

  test("rest on objects and time alone: passes without a change change nothing", async () => {
    await using cluster = await EmbeddedCluster.start();
    await using judging = await Judging.start(cluster, { syncPeriod: "10s" });
    for (const step of Object.values(steps)) step(cluster);
    await cluster.settle({ advance: 1_800_000 });
    const passes = judging.passes("jobs");
    const before = told(judging);
    const now = cluster.clock.now();
    await cluster.settle({ advance: 12_000 });
    expect(judging.passes("jobs")).toBeGreaterThan(passes);
    const at = judging.findings.list(now, { all: true }).map(({ object }) => object.name);
    expect(at.toSorted()).toEqual(before.map((finding) => (finding as { object: { name: string } }).object.name));
  });
});

/** Every object of a kind, without a request each. */
function create<T extends KubeObject>(cluster: EmbeddedCluster, kind: Resource<T>, drafts: Iterable<object>): void {
  for (const draft of drafts) cluster.objects.create(kind, draft as never);
}

it("costs no timer, no finding and no call for thousands of healthy Jobs", async () => {
  await using cluster = await EmbeddedCluster.start();
  const status = { startTime: STARTED, active: 1, ready: 1 };
  create(
    cluster,
    resources.jobs,
    Array.from({ length: 5_000 }, (_, index) => ({ metadata: { name: `a-${index}` }, spec: { template: {} }, status })),
  );
  for (const { metadata } of cluster.objects.list(resources.jobs)) addPod(cluster, metadata.name, metadata.uid);
  await using judging = await Judging.start(cluster);
  await cluster.settle({ advance: 600_000 });
  expect(judging.passes("jobs")).toBeGreaterThanOrEqual(5_000);
  expect(judging.waiting()).toEqual([]);
  expect(judging.list()).toEqual([]);
  expect(judging.evidenceReads).toEqual([]);
});
