import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Informer, type InformerStatus } from "../../src/cache/index.ts";
import { catalog, PrometheusMeter } from "../../src/exposition/index.ts";
import { KubeClient, loadCluster } from "../../src/kube/index.ts";
import { defineResource, type Resource, resources } from "../../src/resources/index.ts";
import {
  Authority,
  type ClusterAccess,
  clusterTools,
  describeReal,
  eventually,
  freePort,
  type Rule,
  sampleOf,
  sharedCluster,
} from "./harness/index.ts";

interface Case {
  what: string;
  /** The kubeconfig that has the fault. */
  kubeconfig: (access: ClusterAccess) => string | Promise<string>;
  resource?: Resource;
  /** As counters have it. */
  reason: string;
  failed?: "stalewatch_list_failures_total" | "stalewatch_watch_restarts_total";
  /** What the one line says: the thing, and what to do. */
  says: RegExp;
}

const listJobs: Rule = { apiGroups: ["batch"], resources: ["jobs"], verbs: ["list"] };
const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", resource: "widgets" });

const cases: Case[] = [
  {
    what: "a certificate authority that did not sign the server's certificate",
    kubeconfig: (access) => {
      const other = new Authority(mkdtempSync(join(access.directory, "other-")));
      return access.kubeconfig({ ca: other.ca.cert });
    },
    reason: "unreachable",
    says: /certificate/i,
  },
  {
    what: "an expired token",
    kubeconfig: async (access) => {
      const token = await access.serviceAccountToken(await access.namespace("bad"), "expired", -60);
      return access.kubeconfig({ credentials: { token } });
    },
    reason: "unauthorized",
    says: /401|unauthorized/i,
  },
  {
    what: "a token that is none",
    kubeconfig: (access) => access.kubeconfig({ credentials: { token: "not-a-token" } }),
    reason: "unauthorized",
    says: /401|unauthorized/i,
  },
  {
    what: "a forbidden list",
    kubeconfig: async (access) => access.kubeconfig({ credentials: await access.user("nobody", []) }),
    reason: "forbidden",
    says: /jobs.*nobody|nobody.*jobs.*apiGroups: \["batch"\]/s,
  },
  {
    what: "a forbidden watch",
    kubeconfig: async (access) => access.kubeconfig({ credentials: await access.user("lister", [listJobs]) }),
    reason: "forbidden",
    failed: "stalewatch_watch_restarts_total",
    says: /watch.*apiGroups: \["batch"\]/s,
  },
  {
    what: "a server that is not there",
    kubeconfig: async (access) => access.kubeconfig({ server: `https://127.0.0.1:${await freePort()}` }),
    reason: "unreachable",
    says: /127\.0\.0\.1:\d+.*refused|refused.*127\.0\.0\.1:\d+/is,
  },
  {
    what: "a kind that the server lacks",
    kubeconfig: (access) => access.kubeconfig(),
    resource: widgets,
    reason: "not_found",
    says: /widgets/,
  },
];

/** Each fault gets one line that names it, a counter, and a cache that goes on trying. */
describeReal("what can be wrong with a real cluster's address, credentials and rights", clusterTools, () => {
  let access: ClusterAccess;
  beforeAll(() => {
    access = sharedCluster();
  });

  test.each(cases)("$what", async (fault) => {
    const cluster = await loadCluster({ kubeconfig: await fault.kubeconfig(access) });
    const meter = new PrometheusMeter({ catalog, processMetrics: false });
    const client = new KubeClient({ transport: cluster.transport, env: { meter } });
    const { resource = resources.jobs, reason, failed = "stalewatch_list_failures_total" } = fault;
    const informer = new Informer({ client, resource, env: { meter } });
    const stop = new AbortController();
    const running = informer.run({ signal: stop.signal });
    const status = await eventually("a second failure is counted", async () => {
      const labels = { resource: resource.resource, reason };
      const count = sampleOf((await meter.scrape()).body.toString(), failed, labels) ?? 0;
      return count >= 2 && informer.status();
    });
    expectOneLine(status, fault.says);
    stop.abort();
    await running;
    await cluster.close();
  });

  test("a cache fills by itself once the right is granted", async () => {
    const cluster = await loadCluster({
      kubeconfig: access.kubeconfig({ credentials: access.authority.issue("late") }),
    });
    const client = new KubeClient({ transport: cluster.transport });
    const informer = new Informer({ client, resource: resources.jobs });
    const stop = new AbortController();
    const running = informer.run({ signal: stop.signal });
    await eventually("the list is refused", () => informer.status().lastError !== undefined);
    expect(informer.hasSynced()).toBe(false);
    await access.user("late", [{ ...listJobs, verbs: ["list", "watch"] }]);
    await informer.whenSynced(AbortSignal.timeout(30_000));
    stop.abort();
    await running;
    await cluster.close();
  });
});

function expectOneLine({ lastError = "", synced }: InformerStatus, says: RegExp): void {
  expect(lastError).toMatch(says);
  expect(lastError).not.toContain("\n");
  expect(lastError).not.toContain("not-a-token");
  if (!/watch/.test(says.source)) expect(synced).toBe(false);
}
