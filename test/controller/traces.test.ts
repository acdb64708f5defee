import { describe, expect, test } from "vitest";
import { Controller } from "../../src/controller/index.ts";
import { defineInterval } from "../../src/requeue/index.ts";
import { resources } from "../../src/resources/index.ts";
import { jobFor, runs } from "./objects.ts";
import type { RecordedSpan } from "./recording.ts";
import { Rig } from "./rig.ts";

const { jobs, configMaps } = resources;
const Approval = defineInterval({ name: "Approval", sort: "wait", duration: "10m" });

/** Ids of the spans that a span links to, in order. */
function links(span: RecordedSpan | undefined): string[] {
  return (span?.links ?? []).map(({ spanId }) => spanId).sort();
}

function ids(spans: readonly RecordedSpan[]): string[] {
  return spans.map(({ context }) => context.spanId).sort();
}

describe("a pass's span", () => {
  test("with three merged triggers has three links, one to each pass whose write it was", async () => {
    await using rig = await Rig.make({ traced: true });
    rig.createRun("export");
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const runner = new Controller("runner", { for: runs, reconcile: () => held });
    const labelling = new Controller("labeller", {
      for: configMaps,
      concurrency: 3,
      async reconcile({ object, write }) {
        const body = { metadata: { labels: { [object.metadata.name]: "yes" } } };
        await write.patch(runs, { namespace: "shop", name: "export" }, { type: "merge", body });
      },
    });
    await rig.run(runner, labelling);
    for (const name of ["a", "b", "c"])
      rig.cluster.objects.create(configMaps, { metadata: { name, namespace: "shop" } });
    await rig.settle();
    release();
    await rig.settle();
    const [first, second, ...others] = rig.tracer.passes("runner");
    expect(links(first)).toEqual([]);
    const writers = rig.tracer.passes("labeller");
    expect(writers).toHaveLength(3);
    expect(links(second)).toEqual(ids(writers));
    expect(others).toEqual([]);
  });

  test("links to the pass of another controller whose write caused it, and to its own earlier one", async () => {
    await using rig = await Rig.make({ traced: true });
    const runner = new Controller("runner", {
      for: runs,
      async reconcile({ object: run, write }) {
        if (run.status?.phase) return;
        await write.create(jobs, jobFor(run));
        await write.patchStatus(run, { phase: "Started" });
      },
    });
    const watcher = new Controller("watcher", { for: jobs, reconcile: () => {} });
    await rig.run(runner, watcher);
    rig.createRun("export");
    await rig.settle();
    const [made, seen] = rig.tracer.passes("runner");
    expect(links(made)).toEqual([]);
    expect(links(seen)).toEqual([made?.context.spanId]);
    expect(rig.tracer.passes("watcher").map(links)).toEqual([[made?.context.spanId]]);
  });

  test("links to the trace that an object names", async () => {
    await using rig = await Rig.make({ traced: true });
    await rig.run(new Controller("runner", { for: runs, reconcile: () => {} }));
    const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
    rig.createRun("named", { annotations: { "tracing.k8s.io/traceparent": `00-${traceId}-${spanId}-01` } });
    rig.createRun("misnamed", { annotations: { "tracing.k8s.io/traceparent": `00-${traceId}-0000000000000000-01` } });
    await rig.settle();
    expect(rig.tracer.passes("runner").map((span) => span.links)).toEqual([[{ traceId, spanId, traceFlags: 1 }], []]);
  });

  test("links to the pass that asked for it: by a requeue, by failing", async () => {
    await using rig = await Rig.make({ traced: true });
    let calls = 0;
    const runner = new Controller("runner", {
      for: runs,
      intervals: [Approval],
      reconcile({ requeue }) {
        calls += 1;
        if (calls === 1) throw new Error("not yet");
        return calls === 2 ? requeue.after(Approval) : undefined;
      },
    });
    await rig.run(runner);
    rig.createRun("export");
    await rig.settle(601_000);
    const [failed, asked, last] = rig.tracer.passes("runner");
    expect(failed?.errors).toHaveLength(1);
    expect(links(asked)).toEqual([failed?.context.spanId]);
    expect(links(last)).toEqual([asked?.context.spanId]);
    expect(last?.attributes).toMatchObject({ "stalewatch.triggers": ["requeue(Approval)"] });
  });

  test("of the pass that acts after a skip links to the skipped one and to the writer that woke both", async () => {
    await using rig = await Rig.make({ traced: true });
    const runner = new Controller("runner", {
      for: runs,
      owns: [jobs],
      async reconcile({ object: run, cached, write }) {
        if (cached(jobs).ownedBy(run).length > 0) return;
        await write.create(jobs, jobFor(run));
        await write.patchStatus(run, { phase: "Started" });
      },
    });
    await rig.run(runner);
    rig.cluster.faults.delay(jobs, 500);
    rig.createRun("export");
    await rig.settle(1_000);
    const [made, skipped, acted, ...others] = rig.tracer.passes("runner");
    expect(others).toEqual([]);
    expect(skipped?.attributes).toMatchObject({
      "stalewatch.outcome": "skipped",
      "stalewatch.stale": ["jobs.v1.batch"],
    });
    expect(links(skipped)).toEqual([made?.context.spanId]);
    expect(links(acted)).toEqual(ids([made, skipped].flatMap((span) => span ?? [])));
    const wait = rig.tracer.spans.find(({ name }) => name === "wait for jobs");
    expect(wait).toMatchObject({ parent: skipped?.context, ended: true });
  });

  test("says what it was about, why it ran and how it ended; calls are its children", async () => {
    await using rig = await Rig.make({ traced: true });
    const runner = new Controller("runner", {
      for: runs,
      intervals: [Approval],
      async reconcile({ object: run, live, write, requeue }) {
        await live.get(runs, run.metadata);
        for await (const _ of live.list(jobs, { namespace: "shop" }));
        await write.patchStatus(run, { phase: "Waiting" });
        await write.delete(jobs, { namespace: "shop", name: "absent" }).catch(() => {});
        return requeue.after(Approval, 90_000);
      },
    });
    await rig.run(runner);
    const run = rig.createRun("export");
    await rig.settle();
    const [pass] = rig.tracer.passes("runner");
    expect(pass).toMatchObject({ kind: "consumer", parent: undefined, ended: true });
    expect(pass?.attributes).toEqual({
      "stalewatch.controller": "runner",
      "stalewatch.resource": "runs.v1.example.com",
      "stalewatch.object.name": "export",
      "stalewatch.object.uid": run.metadata.uid,
      "k8s.namespace.name": "shop",
      "stalewatch.triggers": ["add"],
      "stalewatch.queue.wait_seconds": 0,
      "stalewatch.queue.priority": 0,
      "stalewatch.store.version": run.metadata.resourceVersion,
      "stalewatch.outcome": "changed",
      "stalewatch.requeue.interval": "Approval",
      "stalewatch.requeue.delay_seconds": 90,
      "stalewatch.stale": undefined,
    });
    const calls = rig.tracer.spans.filter(({ parent }) => parent?.spanId === pass?.context.spanId);
    expect(calls.map(({ name, kind, errors, ended }) => [name, kind, errors.length, ended])).toEqual([
      ["get runs", "client", 0, true],
      ["list jobs", "client", 0, true],
      ["patch runs", "client", 0, true],
      ["delete jobs", "client", 1, true],
    ]);
  });

  test("names a kind of the conventions by its own attributes", async () => {
    await using rig = await Rig.make({ traced: true });
    await rig.run(new Controller("watcher", { for: jobs, reconcile: () => {} }));
    const draft = jobFor({ metadata: { name: "x", uid: "", resourceVersion: "" }, spec: { approved: true } });
    rig.cluster.objects.create(jobs, { ...draft, metadata: { name: "export-1", namespace: "shop" } });
    await rig.settle();
    expect(rig.tracer.passes("watcher")[0]?.attributes).toMatchObject({
      "k8s.namespace.name": "shop",
      "k8s.job.name": "export-1",
      "k8s.job.uid": expect.any(String) as unknown,
    });
  });
});
