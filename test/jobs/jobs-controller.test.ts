import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Manager } from "../../src/controller/index.ts";
import { EvidenceReader, Findings, judges } from "../../src/jobs/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { type Log, noopLog, noopMeter, resolveEnv } from "../../src/telemetry/index.ts";
import { EmbeddedCluster, FATE_ANNOTATION, simulateJobs } from "../../src/testing/index.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "registry.example/a:1" }] } };

describe("the jobs controller", () => {
  let cluster: EmbeddedCluster;
  let findings: Findings;
  let manager: Manager;
  let logged: string[];
  let stop: AbortController;
  let running: Promise<unknown>;
  /** Since when the caches have been without their server. */
  let lostAt: number;

  beforeEach(async () => {
    lostAt = Number.POSITIVE_INFINITY;
    cluster = await EmbeddedCluster.start();
    logged = [];
    const note =
      (level: string): Log["info"] =>
      (message, { severity, kind } = {}) =>
        void logged.push([level, message, kind, severity].filter(Boolean).join(" "));
    const env = { clock: cluster.clock, log: { ...noopLog, info: note("info"), warn: note("warn") } };
    findings = new Findings({ meter: noopMeter });
    const client = new KubeClient({ transport: cluster.transport(), env });
    const evidence = new EvidenceReader({ client, env: resolveEnv(env) });
    const seenUntil = (): number => Math.min(cluster.clock.now(), lostAt);
    const controllers = judges({ findings, evidence, informers: () => manager.informers(), seenUntil, env });
    manager = new Manager({ controllers, client, independent: true, syncPeriod: 0, env });
    stop = new AbortController();
    running = Promise.all([manager, evidence].map((part) => part.run({ signal: stop.signal })));
    await cluster.settle();
  });
  afterEach(async () => {
    stop.abort();
    await cluster.settle({ advance: 1_000 });
    await running;
    await cluster[Symbol.asyncDispose]();
  });

  function addJob(name: string, more: { spec?: object; status?: object; fate?: string } = {}): void {
    const annotations = more.fate === undefined ? {} : { [FATE_ANNOTATION]: more.fate };
    cluster.objects.create(resources.jobs, {
      metadata: { name, annotations },
      spec: { template, ...more.spec },
      status: more.status ?? {},
    });
  }

  const states = (): string[] =>
    findings.list(cluster.clock.now(), { all: true }).map((f) => `${f.object.name} ${f.kind} ${f.state} ${f.severity}`);
  const waiting = (): string[] => {
    const [controller] = manager.status().controllers;
    const now = cluster.clock.monotonic();
    return [...(controller?.waiting ?? [])].map(
      ({ key, dueAt, trigger }) => `${key} ${trigger.interval} ${dueAt - now}`,
    );
  };

  it("looks again at the very moment when an age limit falls due, and only then", async () => {
    addJob("untouched");
    await cluster.settle();
    expect(states()).toEqual(["untouched S01 watching warning"]);
    expect(waiting()).toEqual(["default/untouched StuckJobAge 60000"]);
    await cluster.settle({ advance: 59_999 });
    expect(logged.filter((line) => line.includes("stuck"))).toEqual([]);
    await cluster.settle({ advance: 1 });
    expect(logged.at(-1)).toBe("warn a Job is stuck S01 warning");
    expect(waiting()).toEqual(["default/untouched StuckJobAge 240000"]);
    await cluster.settle({ advance: 240_000 });
    expect(logged.at(-1)).toBe("warn a Job is stuck S01 critical");
    expect(waiting()).toEqual([]);
  });

  it("costs no timer for healthy Jobs, and one for a deadline", async () => {
    addJob("running", { status: { startTime: "2026-01-01T00:00:00Z", active: 1, ready: 1 } });
    addJob("finished", { status: { conditions: [{ type: "Complete", status: "True" }] } });
    await cluster.settle();
    expect(waiting()).toEqual([]);
    addJob("limited", {
      spec: { activeDeadlineSeconds: 600 },
      status: { startTime: "2026-01-01T00:00:00Z", active: 1, ready: 1 },
    });
    await cluster.settle();
    expect(waiting()).toEqual(["default/limited StuckJobAge 600000"]);
    await cluster.settle({ advance: 720_000 });
    expect(states()).toEqual(["limited S19 stuck warning"]);
  });

  it("follows a Job from a missing image to its recovery by its pods", async () => {
    const stopJobs = simulateJobs(cluster);
    addJob("thumbnails", { fate: "image-pull-fails" });
    await cluster.settle({ advance: 599_999 });
    expect(states()).toEqual(["thumbnails S13 watching warning"]);
    await cluster.settle({ advance: 1 });
    expect(logged.at(-1)).toBe("warn a Job is stuck S13 warning");
    expect(states()).toEqual(["thumbnails S13 stuck warning"]);
    cluster.objects.patch(resources.jobs, "thumbnails", { metadata: { annotations: { [FATE_ANNOTATION]: null } } });
    await cluster.settle({ advance: 15_000 });
    expect(states()).toEqual([]);
    expect(logged.at(-1)).toBe("info a Job is no longer stuck S13");
    stopJobs();
  });

  it("forgets a Job that is deleted, and judges one of the same name anew", async () => {
    addJob("untouched");
    await cluster.settle({ advance: 60_000 });
    cluster.objects.delete(resources.jobs, "untouched");
    await cluster.settle();
    expect(states()).toEqual([]);
    expect(logged.at(-1)).toBe("info a stuck Job was deleted S01");
    addJob("untouched");
    await cluster.settle();
    expect(states()).toEqual(["untouched S01 watching warning"]);
  });

  it("writes nothing", async () => {
    addJob("untouched");
    const version = cluster.currentVersion();
    await cluster.settle({ advance: 600_000 });
    expect(states()).toEqual(["untouched S01 stuck critical"]);
    expect(cluster.currentVersion()).toBe(version);
  });

  /** Five minutes of a Job that nobody touches; the cache may lose its server after half a minute. */
  async function leaveUntouched(connected: boolean): Promise<void> {
    addJob("a");
    await cluster.settle({ advance: 30_000 });
    if (!connected) lostAt = cluster.clock.now();
    await cluster.settle({ advance: 270_000 });
  }

  describe("a Job that nobody has touched for five minutes", () => {
    it("is stuck while the cache hears its server", async () => {
      await leaveUntouched(true);
      expect(states()).toEqual(["a S01 stuck critical"]);
    });

    it("is not called stuck while the cache does not, and is soon after it does again", async () => {
      await leaveUntouched(false);
      expect(states()).toEqual(["a S01 watching warning"]);
      expect(logged).toEqual([]);
      lostAt = Number.POSITIVE_INFINITY;
      await cluster.settle({ advance: 5_000 });
      expect(states()).toEqual(["a S01 stuck critical"]);
    });
  });
});
