import { join } from "node:path";
import type { Panel } from "@grafana/grafana-foundation-sdk/dashboard";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Controller, type ManagedController } from "../../src/controller/index.ts";
import { type Cluster, loadCluster } from "../../src/kube/index.ts";
import { controllersDashboard } from "../../src/mixin/dashboards/controllers.ts";
import { ruleGroups } from "../../src/mixin/index.ts";
import { defineInterval } from "../../src/requeue/index.ts";
import { refOf, resources } from "../../src/resources/index.ts";
import { Sidecar } from "../../src/sidecar/index.ts";
import { filledIn } from "../mixin/promql.ts";
import {
  clusterTools,
  DelayingProxy,
  describeReal,
  eventually,
  Kubelet,
  Prometheus,
  sharedCluster,
} from "./harness/index.ts";
import { createJob } from "./jobs.ts";

interface RulesAnswer {
  data: { groups: { rules: { name: string; health: string; lastError?: string; lastEvaluation: string }[] }[] };
}

/** What a run without outages does not have: nothing broke, nothing was lost, nothing was listed twice. */
const MAY_BE_EMPTY = new Set(["Relists and failed lists", "Watch restarts", "Wait for the client's rate limiter"]);

const panels = (controllersDashboard().panels ?? []).filter((panel): panel is Panel => panel.type !== "row");

/** Looks at its objects each second, counts up in one that has a count, and fails over one without data. Its cache trails by 3 s. */
function counter(namespace: string): ManagedController {
  const Tick = defineInterval({ name: "TestTick", sort: "wait", duration: "1s" });
  return new Controller("counter", {
    for: { resource: resources.configMaps, scope: { namespace, labelSelector: "counted" } },
    intervals: [Tick],
    async reconcile({ object, key, write, requeue }) {
      if (object.data === undefined) throw new Error("there is nothing to count");
      if (object.data["count"] === undefined) return requeue.after(Tick);
      const count = String(Number(object.data["count"]) + 1);
      await write.patch(resources.configMaps, refOf(key), { type: "merge", body: { data: { count } } });
      return requeue.after(Tick);
    },
  });
}

describeReal("the dashboard and the rules over a real run", [...clusterTools, "prometheus"], () => {
  const stop = new AbortController();
  const open: AsyncDisposable[] = [];
  let cluster: Cluster;
  let running: Promise<void>;
  let prometheus: Prometheus;
  let namespace: string;

  beforeAll(async () => {
    const access = sharedCluster();
    namespace = await access.namespace("dashboard");
    const proxy = await DelayingProxy.start(access, { resource: "configmaps", delayMs: 3_000 });
    open.push(proxy, new Kubelet(access, { namespace, plan: () => [{ waiting: "ImagePullBackOff" }] }));
    await createJob(access, namespace, "export-1");
    const configMap = (name: string, data?: object): Promise<unknown> => {
      const metadata = { name, labels: { counted: "yes" } };
      return access.raw.post(`/api/v1/namespaces/${namespace}/configmaps`, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        data,
      });
    };
    await configMap("good", { count: "0" });
    await configMap("idle", { note: "no count" });
    await configMap("bad");

    cluster = await loadCluster({ kubeconfig: access.kubeconfig({ server: proxy.server }) });
    const sidecar = new Sidecar({
      cluster,
      version: "0.0.0-test",
      controllers: [counter(namespace)],
      listen: { metrics: "127.0.0.1:0", health: "0", status: "0" },
      limits: [{ kind: "S13", ages: { warningMs: 1_000, criticalMs: 2_000 } }],
    });
    running = sidecar.run({ signal: stop.signal });
    const urls = await sidecar.whenListening();
    prometheus = await Prometheus.start({
      targets: [new URL(urls.metrics ?? "").host],
      ruleFiles: [join(import.meta.dirname, "../../alerts/stalewatch.rules.yaml")],
    });
  });
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    stop.abort();
    await running;
    await cluster?.close();
    for (const each of open) await each[Symbol.asyncDispose]();
  });

  test.each(panels.map((panel) => [panel.title ?? "", panel] as const))(
    "panel %s has what it asks for",
    async (title, panel) => {
      const targets = (panel.targets ?? []) as unknown as { expr: string }[];
      for (const { expr } of targets) {
        const query = filledIn(expr, "20s");
        const answered = async (): Promise<boolean> => {
          const samples = await prometheus.query(query);
          return MAY_BE_EMPTY.has(title) || samples.some(({ value }) => value[1] !== "NaN");
        };
        await eventually(`an answer to ${query}`, answered, { everyMs: 500 });
      }
    },
  );

  test("the numbers tell what happened: passes skipped, timed, changed and failed", async () => {
    const positive = async (query: string): Promise<void> => {
      const above = async (): Promise<boolean> => (await prometheus.query(`${query} > 0`)).length > 0;
      await eventually(`${query} above 0`, above, { everyMs: 500 });
    };
    await positive('stale_sync_skips_total{controller="counter", resource="configmaps"}');
    await positive('stale_sync_wait_seconds_sum{controller="counter", resource="configmaps"}');
    await positive('stalewatch_passes_total{controller="counter", outcome="changed"}');
    await positive('stalewatch_passes_total{controller="counter", outcome="error"}');
    await positive('requeues_total{controller="counter", interval="TestTick", outcome="fired"}');
    expect(await prometheus.query('controller_runtime_reconcile_panics_total{controller="counter"} > 0')).toEqual([]);
  });

  test("every rule is evaluated without an error", async () => {
    const wanted = ruleGroups.flatMap(({ rules }) => rules.map(({ name }) => name));
    const rules = await eventually("all rules have been evaluated", async () => {
      const answer = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as RulesAnswer;
      const found = answer.data.groups.flatMap((group) => group.rules);
      return found.every(({ lastEvaluation }) => !lastEvaluation.startsWith("0001")) && found;
    });
    expect(rules.map(({ name }) => name).sort()).toEqual(wanted.sort());
    expect(rules.filter(({ health, lastError }) => health !== "ok" || lastError)).toEqual([]);
  });

  test("the Job whose image cannot be pulled raises its alert, and nothing else does", async () => {
    const stuck = `ALERTS{alertname="StalewatchJobStuck", namespace="${namespace}"}`;
    const alerts = await eventually("the alert", async () => {
      const found = await prometheus.query(stuck);
      return found.length === 2 && found;
    });
    expect(alerts.map(({ metric }) => metric)).toEqual(
      ["critical", "warning"].map((severity) =>
        expect.objectContaining({
          severity,
          kind: "S13",
          reason: "ImagePullBackOff",
          owner_kind: "Job",
          owner_name: "export-1",
        }),
      ),
    );
    expect(await prometheus.query('ALERTS{alertname!="StalewatchJobStuck", alertstate="firing"}')).toEqual([]);
  });
});
