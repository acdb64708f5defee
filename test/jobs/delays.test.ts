import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Informer } from "../../src/cache/index.ts";
import { PrometheusMeter } from "../../src/exposition/index.ts";
import { HeadSet } from "../../src/head/index.ts";
import type { CachesAnswer, DelayView } from "../../src/http/index.ts";
import { Delays } from "../../src/jobs/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import {
  defineResource,
  HEARTBEAT_MARK,
  type Job,
  type KubeObject,
  type Resource,
  resources,
} from "../../src/resources/index.ts";
import { resolveEnv, type SpanOptions, type Tracer } from "../../src/telemetry/index.ts";
import { EmbeddedCluster, simulateJobs } from "../../src/testing/index.ts";
import { lateWatches } from "../lag/late-watches.ts";
import { type Rig, startSidecar } from "../sidecar/rig.ts";

interface Widget extends KubeObject {
  spec: { size: number };
  status?: { observedGeneration?: number };
}

const widgets = defineResource<Widget>({ group: "example.com", version: "v1", kind: "Widget", resource: "widgets" });
const watch = [{ group: "example.com", version: "v1", resource: "widgets" }];
const cronJob = { apiVersion: "batch/v1", kind: "CronJob", name: "export", uid: "uid-of-export", controller: true };
const SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp";

let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start();
});
afterEach(() => cluster[Symbol.asyncDispose]());

function addJob(name: string, metadata: Partial<Job["metadata"]> = {}, spec: Job["spec"] = {}): void {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "registry.example/a:1" }] } };
  cluster.objects.create(resources.jobs, {
    metadata: { name, namespace: "shop", ...metadata },
    spec: { template, ...spec },
  });
}

async function delays(sidecar: Rig): Promise<Record<string, DelayView>> {
  const answer = await sidecar.json<CachesAnswer>("/api/v1/caches");
  return Object.fromEntries(answer.delays.map((view) => [view.delay, view]));
}

async function counts(sidecar: Rig): Promise<Record<string, number>> {
  return Object.fromEntries(Object.values(await delays(sidecar)).map(({ delay, count }) => [delay, count]));
}

describe("the delays of Jobs", () => {
  it("are told once for each Job, in the API and as two histograms", async () => {
    simulateJobs(cluster);
    await using sidecar = await startSidecar(cluster);
    expect(await delays(sidecar)).toEqual({});
    addJob("a");
    await cluster.settle({ advance: 10_000 });
    const about = { group: "batch", version: "v1", resource: "jobs", count: 1 };
    const percentiles = { p50: expect.any(Object), p90: expect.any(Object), p99: { minSeconds: 0, maxSeconds: 1 } };
    const told = await delays(sidecar);
    expect(told).toEqual({
      job_start: { delay: "job_start", ...about, percentiles },
      job_completion: { delay: "job_completion", ...about, percentiles: expect.any(Object) },
    });
    // The end of the pod and the Job's may be of two seconds.
    expect(told["job_completion"]?.percentiles.p50.maxSeconds).toBeLessThanOrEqual(2);
    const { body } = await sidecar.get("metrics", "/metrics");
    expect(body).toContain('stalewatch_job_start_delay_seconds_sum{bound="max"} 1\n');
    expect(body).toContain('stalewatch_job_completion_delay_seconds_bucket{bound="min",le="0.5"} 1\n');
    expect(body).toContain('stalewatch_cronjob_schedule_delay_seconds_count{bound="min"} 0\n');
  });

  it("count once over a relist and a resync, and not again in the next process", async () => {
    simulateJobs(cluster);
    const early = await startSidecar(cluster, { syncPeriodMs: 30_000 });
    addJob("a");
    await cluster.settle({ advance: 10_000 });
    cluster.faults.expire(resources.jobs);
    await cluster.settle({ advance: 120_000 });
    expect(await counts(early)).toEqual({ job_start: 1, job_completion: 1 });
    await early.stop();
    await using next = await startSidecar(cluster);
    await cluster.settle({ advance: 60_000 });
    expect(await counts(next)).toEqual({});
  });

  it("wait for the pods where their cache is behind", async () => {
    simulateJobs(cluster);
    await using sidecar = await startSidecar(cluster);
    await cluster.settle({ advance: 5_000 });
    cluster.faults.delay(resources.pods, 20_000);
    addJob("a");
    await cluster.settle({ advance: 10_000 });
    expect(await counts(sidecar)).toEqual({ job_start: 1 });
    await cluster.settle({ advance: 20_000 });
    const { job_completion } = await delays(sidecar);
    expect(job_completion).toMatchObject({ count: 1, percentiles: { p50: { minSeconds: 0 } } });
    expect(job_completion?.percentiles.p50.maxSeconds).toBeLessThanOrEqual(2);
  });

  it.each<[string, Partial<Job["metadata"]>, Job["spec"], Job["status"]]>([
    ["was suspended", {}, { suspend: true }, { conditions: [{ type: "Suspended", status: "False" }] }],
    ["is another controller's", {}, { managedBy: "example.com/other" }, {}],
    ["is a heartbeat", { labels: { [HEARTBEAT_MARK]: "true" } }, {}, {}],
  ])("leave out the start of a Job that %s", async (_, metadata, spec, status) => {
    await using sidecar = await startSidecar(cluster);
    addJob("plain");
    addJob("special", metadata, spec);
    await cluster.settle({ advance: 3_000 });
    const startTime = iso(cluster.clock.now());
    for (const [name, more] of [
      ["plain", {}],
      ["special", status],
    ] as const) {
      cluster.objects.update(resources.jobs, { namespace: "shop", name }, (job) => {
        Object.assign(job.status, { startTime, ...more });
      });
    }
    await cluster.settle({ advance: 1_000 });
    expect(await delays(sidecar)).toMatchObject({
      job_start: { count: 1, percentiles: { p99: { minSeconds: 2, maxSeconds: 4 } } },
    });
  });

  it.each([
    ["as its annotation says", (due: number) => ({ name: "x", annotations: { [SCHEDULED_AT]: iso(due) } }), 0],
    ["as its name says", (due: number) => ({ name: `export-${due / 60_000}` }), 60],
  ])("tell how late a run of a CronJob began, %s", async (_, metadataOf, blurSeconds) => {
    await using sidecar = await startSidecar(cluster);
    const due = Math.ceil(cluster.clock.now() / 60_000) * 60_000;
    await cluster.settle({ advance: due + 75_000 - cluster.clock.now() });
    addJob("", { ...metadataOf(due), ownerReferences: [cronJob] });
    const byHand = { "cronjob.kubernetes.io/instantiate": "manual" };
    addJob("by-hand", { annotations: byHand, ownerReferences: [cronJob] });
    await cluster.settle({ advance: 1_000 });
    const { cronjob_schedule } = await delays(sidecar);
    const p50 = { minSeconds: 75 - blurSeconds, maxSeconds: 76 };
    expect(cronjob_schedule).toMatchObject({ count: 1, percentiles: { p50 } });
  });
});

describe("the exemplar of a delay", () => {
  const ids = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

  /** What is exported of one Job that runs, and the spans beside it. */
  async function measured(traceFlags: number): Promise<{ page: string; spans: (SpanOptions & { name: string })[] }> {
    const spans: (SpanOptions & { name: string; endTime?: number | undefined })[] = [];
    const tracer: Tracer = {
      enabled: true,
      startSpan(name, options) {
        const end = (endTime?: number): void => void spans.push({ name, ...options, endTime });
        return { context: { ...ids, traceFlags }, set() {}, link() {}, fail() {}, end };
      },
    };
    const { clock } = cluster;
    const meter = new PrometheusMeter({ clock });
    const env = resolveEnv({ clock, meter, tracer });
    const client = new KubeClient({ transport: cluster.transport(), env: resolveEnv({ clock }) });
    const kinds = [resources.jobs as Resource, resources.pods as Resource];
    const informers = kinds.map((resource) => new Informer({ client, resource, env: resolveEnv({ clock }) }));
    const heads = new HeadSet({ client, probeIntervalMs: 15_000, env: resolveEnv({ clock }) });
    const delays = new Delays({ heads, informers: () => informers, since: clock.now(), env });
    const stop = new AbortController();
    const running = [delays, ...informers].map((part) => part.run({ signal: stop.signal }));
    simulateJobs(cluster);
    await cluster.settle();
    addJob("a");
    await cluster.settle({ advance: 10_000 });
    stop.abort();
    await Promise.all(running);
    const { body } = await meter.scrape("application/openmetrics-text;version=1.0.0");
    return { page: body.toString(), spans };
  }

  it("points at a span as long as the delay, with the name of the object", async () => {
    const { page, spans } = await measured(1);
    const bucket = 'stalewatch_job_completion_delay_seconds_bucket{bound="max",le="2"} 1';
    expect(page).toContain(`${bucket} # {trace_id="${ids.traceId}",span_id="${ids.spanId}"} 2 `);
    const completedAt = cluster.objects.get(resources.jobs, { namespace: "shop", name: "a" })?.status.completionTime;
    const endTime = Date.parse(completedAt ?? "");
    // Of what the API tells in whole seconds, the bounds are a second to either side.
    const attributes = { "k8s.namespace.name": "shop", "stalewatch.object.name": "a" };
    expect(spans.at(-1)).toEqual({ name: "delay job_completion", attributes, startTime: endTime - 1_000, endTime });
    expect(spans.map(({ name }) => name)).toEqual(["delay job_start", "delay job_completion"]);
  });

  it("is not there where the span is not sampled", async () => {
    const { page } = await measured(0);
    expect(page).toContain('stalewatch_job_start_delay_seconds_count{bound="max"} 1');
    expect(page).not.toContain(ids.traceId);
  });
});

describe("the delay of observedGeneration", () => {
  const ref = { namespace: "shop", name: "a" };

  beforeEach(() => {
    cluster.register({ ...widgets, subresources: ["status"] });
    cluster.objects.create(widgets, { metadata: { ...ref }, spec: { size: 1 } });
  });

  function observe(): void {
    cluster.objects.update(widgets, ref, (widget) => {
      widget.status = { observedGeneration: widget.metadata.generation ?? 0 };
    });
  }

  function change(): void {
    cluster.objects.update(widgets, ref, (widget) => void (widget.spec.size += 1));
  }

  it("lies between its bounds, however late the watches are", async () => {
    const wait = fc.integer({ min: 0, max: 40_000 });
    // A head watch that brings nothing for longer is in doubt, and then nothing is measured.
    const late = fc.integer({ min: 0, max: 25_000 });
    await fc.assert(
      fc.asyncProperty(wait, late, wait, fc.boolean(), async (delayMs, lateness, before, lateHead) => {
        await using other = await EmbeddedCluster.start();
        other.register({ ...widgets, subresources: ["status"] });
        const make = (size: number, observed: number) =>
          other.objects.update(widgets, ref, (widget) => {
            widget.spec.size = size;
            widget.status = { observedGeneration: observed };
          });
        other.objects.create(widgets, { metadata: { ...ref }, spec: { size: 1 } });
        make(1, 1);
        let lateMs = 0;
        const transport = lateWatches(other.transport(), other.clock, () => lateMs);
        await using sidecar = await startSidecar(other, { watch, cluster: { server: "embedded", transport } });
        await other.settle({ advance: 30_000 + before });
        if (lateHead) other.faults.delay(widgets, lateness);
        else lateMs = lateness;
        make(2, 1);
        await other.settle({ advance: delayMs });
        make(2, 2);
        await other.settle({ advance: 120_000 });
        const { observed_generation } = await delays(sidecar);
        expect(observed_generation?.count).toBe(1);
        const { minSeconds = NaN, maxSeconds = NaN } = observed_generation?.percentiles.p50 ?? {};
        expect(minSeconds).toBeLessThanOrEqual(delayMs / 1_000);
        expect(maxSeconds).toBeGreaterThanOrEqual(delayMs / 1_000);
        // Between two reads lie up to the 15 s of the interval and the 2 s by which a watch is longer.
        if (lateness === 0) expect(maxSeconds).toBeLessThanOrEqual(delayMs / 1_000 + 18);
      }),
      { numRuns: 25 },
    );
  });

  it("is that of the kind, and told as histograms", async () => {
    observe();
    await using sidecar = await startSidecar(cluster, { watch });
    await cluster.settle({ advance: 30_000 });
    change();
    await cluster.settle({ advance: 1_000 });
    change(); // while the first waits
    await cluster.settle({ advance: 49_000 });
    observe();
    await cluster.settle({ advance: 1_000 });
    const { observed_generation } = await delays(sidecar);
    expect(observed_generation).toMatchObject({ group: "example.com", resource: "widgets", count: 1 });
    const { minSeconds = 0, maxSeconds = 0 } = observed_generation?.percentiles.p99 ?? {};
    expect(minSeconds).toBeGreaterThan(30);
    expect(minSeconds).toBeLessThanOrEqual(50);
    expect(maxSeconds).toBeGreaterThanOrEqual(50);
    const labels = '{group="example.com",version="v1",resource="widgets",bound="max"}';
    const { body } = await sidecar.get("metrics", "/metrics");
    expect(body).toContain(`stalewatch_observed_generation_delay_seconds_sum${labels} ${maxSeconds}\n`);
  });

  it.each([
    ["never reports", () => {}, {}],
    ["has no read beside it", observe, { probeIntervalMs: 0 }],
  ])("is not told of what %s", async (_, first, more) => {
    first();
    await using sidecar = await startSidecar(cluster, { watch, ...more });
    await cluster.settle({ advance: 30_000 });
    change();
    await cluster.settle({ advance: 5_000 });
    observe();
    await cluster.settle({ advance: 5_000 });
    expect(await counts(sidecar)).toEqual({});
  });
});

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
