import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { main } from "../../src/cli/index.ts";
import type { CachesAnswer, CacheView, DelayView } from "../../src/http/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { folderOf } from "../dump/files.ts";
import { memoryTerminal } from "./memory-terminal.ts";

const AT = "2026-01-02T03:04:05.000Z";

function cache(more: Partial<CacheView>): CacheView {
  return {
    target: "kcm",
    name: "kube-controller-manager",
    group: "",
    version: "v1",
    resource: "pods",
    storeResourceVersion: "1234",
    headResourceVersion: "1300",
    state: "fresh",
    lagMinSeconds: 0,
    lagMaxSeconds: 3.41,
    eventsBehind: 0,
    observedAt: AT,
    confirmedBy: "probe",
    confirmedSecondsAgo: 3.4,
    ...more,
  };
}

const nothing = { lagMinSeconds: null, lagMaxSeconds: null, eventsBehind: null, confirmedBy: null };
const unknown = { ...nothing, state: "unknown", confirmedSecondsAgo: null } as const;
const late = { state: "lagging", eventsBehind: 7, lagMinSeconds: 41.93, lagMaxSeconds: 43.2 } as const;

/** A sidecar that answers this, whatever it is. */
async function serve(answer: unknown): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/api/v1/caches" ? 200 : 404;
    response.end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(argv: readonly string[], interactive = false) {
  const terminal = { ...memoryTerminal(), interactive };
  const code = await main(["lag", ...argv], { terminal });
  return { code, out: terminal.stdout(), err: terminal.stderr() };
}

async function lag(caches: readonly CacheView[], delays: readonly DelayView[] = [], ...argv: readonly string[]) {
  const answer: CachesAnswer = { at: AT, caches, delays };
  return run(["--server", await serve(answer), ...argv]);
}

describe("stalewatch lag --server", () => {
  it("prints a line a cache, the worst first, and the reason under those of which nothing is known", async () => {
    const why = "Secrets are not watched, by design";
    const shown = await lag([
      cache({}),
      cache({ group: "batch", resource: "jobs", ...late }),
      cache({ group: "apps", resource: "deployments", ...late, lagMinSeconds: 125, lagMaxSeconds: null }),
      cache({ resource: "secrets", ...unknown, why }),
      cache({ target: "self", name: "stalewatch", resource: "nodes", ...nothing, state: "stopped" }),
      cache({ resource: "services", lagMinSeconds: 0.87, lagMaxSeconds: 0.87 }),
    ]);
    expect(shown).toEqual({
      code: 0,
      err: "",
      out: `TARGET  NAME                     RESOURCE          STATE    LAG       BEHIND  CONFIRMED
kcm     kube-controller-manager  deployments.apps  lagging  >=2m5s    7       3.4s ago, probe
kcm     kube-controller-manager  jobs.batch        lagging  41-44s    7       3.4s ago, probe
kcm     kube-controller-manager  secrets           unknown  -         -       -
  Secrets are not watched, by design
self    stalewatch               nodes             stopped  -         -       -
kcm     kube-controller-manager  services          fresh    0.8-0.9s  0       3.4s ago, probe
kcm     kube-controller-manager  pods              fresh    0-3.5s    0       3.4s ago, probe

2 lagging, 1 unknown, 1 stopped, 2 fresh; 6 caches looked at.
`,
    });
  });

  it("tells a reason that several share once, below the last of them", async () => {
    const why = "the cache stands at a version from before the watch beside it began";
    const { out } = await lag(["pods", "nodes", "services"].map((resource) => cache({ resource, ...unknown, why })));
    expect(out.split("\n").map((line) => line.slice(0, 12).trim())).toEqual([
      "TARGET  NAME",
      "kcm     kube",
      "kcm     kube",
      "kcm     kube",
      "the cache",
      "",
      "3 unknown; 3",
      "",
    ]);
  });

  it("prints how long controllers took", async () => {
    const percentiles = {
      p50: { minSeconds: 0, maxSeconds: 1 },
      p90: { minSeconds: 2, maxSeconds: 4 },
      p99: { minSeconds: 69.2, maxSeconds: 74 },
    };
    const about = { group: "batch", version: "v1", resource: "jobs", percentiles };
    const { out } = await lag([], [{ delay: "job_start", ...about, count: 12 }]);
    expect(out).toBe(`DELAY               RESOURCE    COUNT  P50   P90   P99
created -> started  jobs.batch  12     0-1s  2-4s  1m9s-1m14s

There are no caches to look at.
`);
  });

  it("prints what was served in JSON and YAML", async () => {
    const answer = { at: AT, caches: [cache({ ...late, more: 1 } as object)], delays: [] };
    const server = await serve(answer);
    expect(JSON.parse((await run(["--server", server, "-o", "json"])).out)).toEqual(answer);
    expect(parse((await run(["--server", server, "-o", "yaml"])).out)).toEqual(answer);
  });

  it.each([
    [10, "lagging"],
    [10, "stalled"],
    [0, "rewind"],
    [0, "unknown"],
    [0, "fresh"],
  ] as const)("exits with %i where a cache is %s, if asked to", async (code, state) => {
    expect(await lag([cache({}), cache({ state })], [], "--exit-code")).toMatchObject({ code });
    expect(await lag([cache({}), cache({ state })])).toMatchObject({ code: 0 });
  });

  it("fits 100 columns whatever the names are, and lets none of them write to the terminal", async () => {
    const long = { resource: "validatingadmissionpolicybindings", group: "admissionregistration.k8s.io" };
    const { out } = await lag([
      cache({ ...long, ...late, target: "a-target-of-a-long-name" }),
      cache({ name: "\u001b[31mred", ...unknown, why: "\u001b[2J and ".repeat(30) }),
    ]);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(out).not.toContain("\u001b");
    expect(out.replaceAll(/\s/g, "")).toContain("policybindings");
  });

  it.each([
    ["--for", "5s"],
    ["--watch", "v1/configmaps"],
    ["-n", "shop"],
    ["-A"],
    ["--lag-budget", "5s"],
    ["--kubeconfig", "x"],
  ])("refuses what the sidecar would not hear of: %s", async (...argv) => {
    const { code, err } = await lag([], [], ...argv);
    expect(code).toBe(2);
    expect(err).toMatch(/^stalewatch: --[a-z-]+ cannot be given with --server: give it to the sidecar$/m);
  });

  it("says in one line what cannot be", async () => {
    expect(await lag([], [], "--target", "kcm=http://127.0.0.1:1")).toEqual({
      code: 2,
      out: "",
      err: "stalewatch: --target and --server cannot both be given: give the target to the sidecar\n",
    });
    const server = await serve({ at: AT, caches: [{}] });
    const { code, err } = await run(["--server", server]);
    expect({ code, err: err.slice(0, 60) }).toEqual({
      code: 1,
      err: `stalewatch: ${server} did not answer as a sidecar`.slice(0, 60),
    });
  });
});

describe("stalewatch lag of a cluster", () => {
  it("watches for a while and answers as a sidecar does, with a line for a person who waits", async () => {
    await using cluster = await EmbeddedCluster.start({ http: true });
    const creationTimestamp = new Date(Date.now() - 60_000).toISOString();
    cluster.objects.create(resources.jobs, {
      metadata: { name: "a", namespace: "shop", creationTimestamp },
      status: { startTime: new Date().toISOString() },
    });
    const kubeconfig = join(folderOf({ kubeconfig: cluster.kubeconfig() }), "kubeconfig");
    const watch = ["--watch", "v1/configmaps", "--watch", "v1/nothings"];
    const target = ["--target", `me=${cluster.url}/metrics`];
    const argv = ["--kubeconfig", kubeconfig, "--for", "1500ms", ...watch, ...target, "-o", "json"];
    const { code, out, err } = await run(argv, true);
    const answer = JSON.parse(out) as CachesAnswer;
    expect(code).toBe(0);
    expect(answer.caches.map(({ resource, state }) => [resource, state])).toEqual([
      ["jobs", "fresh"],
      ["pods", "fresh"],
      ["cronjobs", "fresh"],
      ["configmaps", "fresh"],
    ]);
    for (const { lagMinSeconds, lagMaxSeconds } of answer.caches) {
      expect(lagMinSeconds).toBe(0);
      expect(lagMaxSeconds).toBeGreaterThan(0);
    }
    expect(answer.delays).toMatchObject([{ delay: "job_start", count: 1 }]);
    expect(err).toContain("watching for another 2s: 0 of 0 caches known");
    expect(err).toMatch(/stalewatch: nothings\.v1: the API server does not serve nothings\.v1/);
    expect(err).toMatch(/stalewatch: target me: .* answers 404/);
  });

  it("tells at once that the cluster cannot be reached", async () => {
    const cluster = await EmbeddedCluster.start({ http: true });
    const kubeconfig = join(folderOf({ kubeconfig: cluster.kubeconfig() }), "kubeconfig");
    await cluster[Symbol.asyncDispose]();
    const { code, out, err } = await run(["--kubeconfig", kubeconfig]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^stalewatch: .*\n$/);
  });
});
