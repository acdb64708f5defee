import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CachesAnswer, CacheView, TargetsAnswer, TargetView } from "../../src/http/index.ts";
import { resources } from "../../src/resources/index.ts";
import { ScrapeError } from "../../src/scrape/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { FakeTarget } from "./fake-target.ts";
import { type Rig, startSidecar } from "./rig.ts";

const SKIPS = "stalewatch_target_stale_sync_skips_total";

let cluster: EmbeddedCluster;
let target: FakeTarget;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start();
  target = new FakeTarget(cluster.clock);
  target.store({ group: "batch", resource: "jobs", value: cluster.currentVersion() });
});
afterEach(() => cluster[Symbol.asyncDispose]());

/** After its first page, and with a cache that is fresh. */
async function start(): Promise<Rig> {
  const sidecar = await startSidecar(cluster, { targets: [target.as("kcm")] });
  await cluster.settle({ advance: 1_000 });
  return sidecar;
}

/** To after the next page. */
function nextPage(times = 1): Promise<void> {
  return cluster.settle({ advance: times * 15_000 });
}

function skips(total: number): string {
  return `job_controller_stale_sync_skips_total{group="",resource="pods"} ${total}\n`;
}

/** Counters that no other page has. */
function madeUp(page: number): string {
  const controllers = Array.from({ length: 200 }, (_, at) => `c${page}-${at}`);
  return controllers
    .map((name) => `stale_sync_skips_total{controller="${name}",group="",resource="pods"} 1\n`)
    .join("");
}

async function about(sidecar: Rig): Promise<TargetView> {
  const { targets } = await sidecar.json<TargetsAnswer>("/api/v1/targets");
  return targets[0] as TargetView;
}

async function theCache(sidecar: Rig): Promise<CacheView | undefined> {
  const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
  return caches.find((cache) => cache.target === "kcm");
}

async function metrics(sidecar: Rig, name: string): Promise<readonly string[]> {
  const { body } = await sidecar.get("metrics", "/metrics");
  return body.split("\n").filter((line) => line.startsWith(`${name}{`));
}

function logOf(sidecar: Rig): readonly string[] {
  return sidecar.lines
    .filter(({ fields }) => fields["target"] === "kcm")
    .map(({ level, message }) => `${level} ${message}`);
}

describe("a target that fails", () => {
  it("is down with a reason and a remedy, told once, and its caches are unknown after three intervals", async () => {
    await using sidecar = await start();
    expect(await about(sidecar)).toMatchObject({ up: true, why: null, remedy: null, caches: 1, scrapeSeconds: 0 });
    target.failure = new ScrapeError("unreachable", "http://kcm.test: the connection is refused", "check that it runs");
    await nextPage();
    expect(await about(sidecar)).toMatchObject({
      up: false,
      why: "http://kcm.test: the connection is refused",
      remedy: "check that it runs",
      caches: 1,
    });
    expect(await metrics(sidecar, "stalewatch_target_up")).toEqual(['stalewatch_target_up{target="kcm"} 0']);
    const held = await theCache(sidecar);
    expect(held).toMatchObject({ state: "fresh" });
    await nextPage(3);
    expect(await theCache(sidecar)).toMatchObject({
      state: "unknown",
      lagMaxSeconds: null,
      observedAt: held?.observedAt,
      why: "the target does not answer: http://kcm.test: the connection is refused",
    });
    expect(await metrics(sidecar, "stalewatch_cache_lag_max_seconds")).not.toContainEqual(
      expect.stringContaining("kcm"),
    );
    expect(await metrics(sidecar, "stalewatch_target_scrape_failures_total")).toEqual([
      'stalewatch_target_scrape_failures_total{target="kcm",reason="unreachable"} 4',
    ]);
    target.failure = undefined;
    await nextPage(3);
    expect(await about(sidecar)).toMatchObject({ up: true, why: null });
    expect(await theCache(sidecar)).toMatchObject({ state: "fresh" });
    expect(logOf(sidecar)).toEqual(["info a target is read", "warn a target cannot be read", "info a target is read"]);
  });

  it("by being slow is given up after 10 s, and asked again at its time", async () => {
    await using sidecar = await start();
    target.delayMs = 3_600_000;
    await nextPage();
    const asked = target.reads;
    await cluster.settle({ advance: 10_000 });
    expect(await about(sidecar)).toMatchObject({
      up: false,
      why: expect.stringContaining("within 10 s"),
      scrapeSeconds: 10,
    });
    expect((await metrics(sidecar, "stalewatch_target_scrape_failures_total"))[0]).toContain('reason="timeout"} 1');
    await cluster.settle({ advance: 5_000 });
    expect(target.reads).toBe(asked + 1);
  });

  it("in a way that nobody thought of ends nothing", async () => {
    await using sidecar = await start();
    target.failure = new TypeError("no such thing");
    await nextPage();
    expect(await about(sidecar)).toMatchObject({ up: false, why: expect.stringContaining("no such thing") });
    target.failure = undefined;
    await nextPage();
    expect(await about(sidecar)).toMatchObject({ up: true });
  });

  it("has no series once the sidecar has stopped, and no connection", async () => {
    const sidecar = await start();
    await sidecar.stop();
    expect(target.closed).toBe(true);
  });

  it("leaves the others alone", async () => {
    const broken = new FakeTarget(cluster.clock);
    broken.failure = new ScrapeError("forbidden", "it refuses", "allow it");
    await using sidecar = await startSidecar(cluster, { targets: [broken.as("broken"), target.as("kcm")] });
    await cluster.settle({ advance: 1_000 });
    const { targets } = await sidecar.json<TargetsAnswer>("/api/v1/targets");
    expect(targets.map(({ name, up }) => [name, up])).toEqual([
      ["broken", false],
      ["kcm", true],
    ]);
    expect(await theCache(sidecar)).toMatchObject({ state: "fresh" });
  });
});

describe("the API server, where it does not answer", () => {
  it("leaves a target's kinds unknown, and they are found once it does", async () => {
    cluster.faults.unreachable(true);
    await using sidecar = await start();
    expect(await theCache(sidecar)).toMatchObject({
      state: "unknown",
      resource: "jobs",
      why: expect.stringContaining("the kinds of the API server are not known"),
    });
    cluster.faults.unreachable(false);
    await nextPage(8);
    expect(await theCache(sidecar)).toMatchObject({ state: "fresh" });
  });
});

describe("the process behind a target", () => {
  it("restarts: what was known of its caches is forgotten, and its counters go on", async () => {
    await using sidecar = await start();
    target.more = skips(3);
    cluster.objects.create(resources.jobs, { metadata: { name: "a", namespace: "shop" } });
    await nextPage(8);
    expect(await theCache(sidecar)).toMatchObject({ state: "stalled" });
    target.startedAt = 1_700_000_100;
    target.more = skips(2);
    await nextPage();
    // It stands still only since it began, however old what it misses is.
    expect(await theCache(sidecar)).toMatchObject({ state: "lagging" });
    expect(await about(sidecar)).toMatchObject({ restarts: 1, processStartedAt: "2023-11-14T22:15:00.000Z" });
    expect(await metrics(sidecar, "stalewatch_target_restarts_total")).toEqual([
      'stalewatch_target_restarts_total{target="kcm"} 1',
    ]);
    expect(await metrics(sidecar, SKIPS)).toContain(
      `${SKIPS}{target="kcm",controller="job",group="",resource="pods"} 5`,
    );
  });

  it("is two replicas that answer in turn: nothing can be said, and what to do is", async () => {
    await using sidecar = await start();
    for (let turn = 0; turn < 4; turn += 1) {
      target.startedAt = turn % 2 === 0 ? 1_700_000_100 : 1_700_000_000;
      target.more = skips(turn % 2 === 0 ? 50 : 1);
      await nextPage();
    }
    const words = expect.stringContaining("each replica a target of its own");
    expect(await theCache(sidecar)).toMatchObject({ state: "unknown", lagMinSeconds: null, why: words });
    expect(await about(sidecar)).toMatchObject({ up: true, why: expect.stringContaining("in turn"), remedy: words });
    expect(await metrics(sidecar, SKIPS)).toContain(
      `${SKIPS}{target="kcm",controller="job",group="",resource="pods"} 51`,
    );
    expect(logOf(sidecar).filter((line) => line.startsWith("warn"))).toHaveLength(1);
    await nextPage(21);
    expect(await about(sidecar)).toMatchObject({ why: null });
    expect(await theCache(sidecar)).toMatchObject({ state: "fresh" });
  });

  it("that says no start has restarted when its counters go back; again and again is several", async () => {
    target.startedAt = undefined;
    const adds = (total: number): void => void (target.more = `workqueue_adds_total{name="job"} ${total}\n`);
    adds(10);
    await using sidecar = await start();
    adds(12);
    await nextPage();
    expect(await about(sidecar)).toMatchObject({ restarts: 0, processStartedAt: null });
    adds(1);
    await nextPage();
    expect(await about(sidecar)).toMatchObject({ restarts: 1, why: null });
    for (const total of [20, 2, 21, 3]) {
      adds(total);
      await nextPage();
    }
    expect(await about(sidecar)).toMatchObject({ restarts: 3, why: expect.stringContaining("in turn") });
  });
});

describe("a target's page", () => {
  it("may spell stale skips in any way; those of Kubernetes' controllers are there from the start", async () => {
    target.more = [
      'job_controller_stale_sync_skips_total{group="",resource="pods"} 3',
      'stale_sync_skips_total{controller="runner",group="batch",resource="jobs"} 4',
      'fancy_stale_sync_skips_total{group="apps",resource="deployments"} 5',
      'statefulset_controller_stale_sync_skips_total{group="",resource="persistentvolumeclaims"} NaN',
    ].join("\n");
    await using sidecar = await start();
    const found = (await metrics(sidecar, SKIPS)).map((line) => line.slice(SKIPS.length));
    expect(found.filter((line) => !line.endsWith(" 0"))).toEqual([
      '{target="kcm",controller="job",group="",resource="pods"} 3',
      '{target="kcm",controller="runner",group="batch",resource="jobs"} 4',
      '{target="kcm",controller="fancy",group="apps",resource="deployments"} 5',
    ]);
    expect(found).toContain('{target="kcm",controller="replicaset",group="apps",resource="replicasets"} 0');
    expect((await about(sidecar)).staleSyncSkips).toContainEqual({
      controller: "job",
      group: "",
      resource: "pods",
      total: 3,
    });
  });

  it("tells of workqueues and reconciles", async () => {
    target.more = [
      'workqueue_depth{name="job",controller="job",priority="0"} 2',
      'workqueue_depth{name="job",controller="job",priority="-100"} 3',
      'workqueue_adds_total{name="job"} 10',
      'workqueue_queue_duration_seconds_bucket{name="job",le="1"} 9',
      'workqueue_queue_duration_seconds_sum{name="job"} 1.5',
      'workqueue_queue_duration_seconds_count{name="job"} 10',
      'controller_runtime_reconcile_total{controller="runner",result="success"} 7',
      'controller_runtime_reconcile_total{controller="runner",result="error"} 1',
      'controller_runtime_reconcile_time_seconds_sum{controller="runner"} 2',
      'controller_runtime_reconcile_time_seconds_count{controller="runner"} 8',
    ].join("\n");
    await using sidecar = await start();
    const { queues, reconciles, notes } = await about(sidecar);
    expect(queues).toEqual([
      expect.objectContaining({ name: "job", depth: 5, adds: 10, waited: { count: 10, seconds: 1.5 } }),
    ]);
    expect(reconciles).toEqual([
      { controller: "runner", results: { success: 7, error: 1 }, took: { count: 8, seconds: 2 } },
    ]);
    expect(notes).toEqual([]);
  });

  it("with duplicates, wrong types and nonsense is read as far as it goes, with notes", async () => {
    target.more = [
      "# TYPE informer_store_resource_version counter",
      'informer_store_resource_version{name="kube-controller-manager",group="batch",version="v1",resource="jobs"} 1',
      'informer_store_resource_version{resource="jobs"',
      'informer_store_resource_version{resource="half"} 4',
    ].join("\n");
    await using sidecar = await start();
    expect((await about(sidecar)).notes).toEqual([
      "1 series came twice; the first counts",
      "1 lines could not be read",
      "informer_store_resource_version is declared as a counter, and read as a gauge",
    ]);
    expect(await theCache(sidecar)).toMatchObject({ state: "fresh" });
    expect((await about(sidecar)).caches).toBe(1);
  });

  it("with one oddity over and over has a few notes", async () => {
    target.more = Array.from({ length: 50 }, (_, at) => `# TYPE a${at}_stale_sync_skips_total gauge\n`).join("");
    await using sidecar = await start();
    const { notes } = await about(sidecar);
    expect(notes).toHaveLength(11);
    expect(notes[9]).toBe("a9_stale_sync_skips_total is declared as a gauge, and read as a counter");
    expect(notes[10]).toBe("and 40 more names have another type");
  });

  it("that makes up new counters on every page fills neither our memory nor our page", async () => {
    target.more = madeUp(0);
    await using sidecar = await start();
    expect((await about(sidecar)).notes).toEqual([]);
    for (const page of [1, 2, 0]) {
      target.more = madeUp(page);
      await nextPage();
    }
    expect(await metrics(sidecar, SKIPS)).toHaveLength(500);
    const { notes, staleSyncSkips } = await about(sidecar);
    expect(staleSyncSkips).toHaveLength(500);
    expect(notes).toEqual(["it has published more than 500 counters of stale skips; only the first count"]);
  });

  it("with both spellings of a plural has one cache of the two, always with the same series", async () => {
    cluster.register({ group: "policy.example", version: "v1", kind: "Policy", resource: "policies" });
    for (const resource of ["policys", "policies"]) {
      target.store({ group: "policy.example", resource, value: cluster.currentVersion() });
    }
    await using sidecar = await start();
    await nextPage(2);
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    const found = caches.filter(({ group }) => group === "policy.example");
    expect(found.map(({ resource, state }) => [resource, state])).toEqual([["policies", "fresh"]]);
    expect((await about(sidecar)).notes).toEqual([
      "1 caches are published under both spellings of their plural; the first counts",
    ]);
  });

  it("with hostile labels breaks no line of ours", async () => {
    target.store({ name: 'a\\nstalewatch_target_up{target=\\"evil\\"} 1', resource: "x\\u001b[2J\\n", value: 5 });
    target.more = 'stale_sync_skips_total{controller="a\\nb",group="",resource="\u001b[31m"} 1\n';
    await using sidecar = await start();
    const { body } = await sidecar.get("metrics", "/metrics");
    expect(body.split("\n").filter((line) => line.includes("evil") && !line.startsWith("stalewatch_cache_"))).toEqual(
      [],
    );
    expect(body).toContain(`${SKIPS}{target="kcm",controller="a\\nb",group="",resource="\u001b[31m"} 1`);
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    expect(caches.find(({ name }) => name.includes("evil"))).toMatchObject({ state: "unknown" });
  });

  it("with more caches than anybody has is cut, with a note", async () => {
    for (let at = 0; at < 600; at += 1) target.store({ resource: `kind${at}s`, value: 5 });
    await using sidecar = await start();
    const { caches, notes } = await about(sidecar);
    expect(caches).toBe(500);
    expect(notes).toEqual(["it publishes 601 caches; the first 500 are read"]);
  });

  it("ends the series of a cache that it no longer has", async () => {
    await using sidecar = await start();
    expect(await metrics(sidecar, "stalewatch_cache_state")).toContainEqual(expect.stringContaining('target="kcm"'));
    target.stores.length = 0;
    await nextPage();
    expect(await metrics(sidecar, "stalewatch_cache_state")).not.toContainEqual(
      expect.stringContaining('target="kcm"'),
    );
    expect(await about(sidecar)).toMatchObject({ up: true, caches: 0 });
  });
});
