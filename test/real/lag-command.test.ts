import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "../../src/cli/index.ts";
import type { CachesAnswer } from "../../src/http/index.ts";
import { memoryTerminal } from "../cli/memory-terminal.ts";
import { clusterTools, ControllerManager, describeReal, Kubelet, pause, RealCluster } from "./harness/index.ts";
import { createJob, jobNames } from "./jobs.ts";
import { TARGET, targetFlags } from "./lag-proof/target-flags.ts";

const DEPLOYMENT = "/apis/apps/v1/namespaces/shop/deployments/web";
const FOR_S = 75;

/** A look at a controller-manager at work: how late its caches are, and how long it takes. */
describeReal("stalewatch lag beside a controller-manager", clusterTools, () => {
  let cluster: RealCluster;
  let manager: ControllerManager;
  let kubelet: Kubelet;
  let answer: CachesAnswer;
  let told: string;

  beforeAll(async () => {
    cluster = await RealCluster.start({ controllerManager: false });
    manager = await ControllerManager.start(cluster);
    await cluster.raw.post("/api/v1/namespaces", { metadata: { name: "shop" } });
    kubelet = new Kubelet(cluster, { namespace: "shop", plan: () => ["running", "succeeded"] });
    await cluster.raw.post(`/apis/batch/v1/namespaces/shop/cronjobs`, cronJob());
    await cluster.raw.post(`/apis/apps/v1/namespaces/shop/deployments`, deployment());
    const terminal = memoryTerminal();
    const flags = [`--for=${FOR_S}s`, "--watch=apps/v1/deployments", ...targetFlags(cluster, manager)];
    const looking = main(["lag", `--kubeconfig=${cluster.kubeconfig()}`, ...flags, "-o", "json"], { terminal });
    await pause(20_000);
    for (const name of jobNames(20)) await createJob(cluster, "shop", name);
    await cluster.raw.patch(DEPLOYMENT, { spec: { minReadySeconds: 1 } });
    expect(await looking).toBe(0);
    answer = JSON.parse(terminal.stdout()) as CachesAnswer;
    told = terminal.stderr();
  }, 180_000);

  afterAll(async () => {
    await kubelet?.[Symbol.asyncDispose]();
    await manager?.[Symbol.asyncDispose]();
    await cluster?.stop();
  });

  test("judges its caches and our own", () => {
    expect(told).toBe("");
    const judged = answer.caches.filter(({ resource }) => resource !== "secrets");
    expect(judged.filter(({ target }) => target === TARGET).length).toBeGreaterThan(50);
    expect(judged.filter(({ state }) => state !== "fresh")).toEqual([]);
  });

  test.each(["cronjob_schedule", "job_start", "job_completion", "observed_generation"])("measures %s", (delay) => {
    const measured = answer.delays.find((view) => view.delay === delay);
    expect(measured?.count).toBeGreaterThan(0);
    const { minSeconds = NaN, maxSeconds = NaN } = measured?.percentiles.p50 ?? {};
    // It had little to do, so it took at most a few seconds.
    expect(minSeconds).toBeLessThan(3);
    expect(maxSeconds).toBeGreaterThan(0);
  });
});

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/main" }] } };

function cronJob(): object {
  return { metadata: { name: "every-minute" }, spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } };
}

function deployment(): object {
  const labels = { app: "web" };
  const spec = { containers: [{ name: "main", image: "example.test/main" }] };
  return {
    metadata: { name: "web" },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
