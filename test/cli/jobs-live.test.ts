import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/index.ts";
import type { JobsAnswer } from "../../src/http/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { folderOf } from "../dump/files.ts";
import { memoryTerminal } from "./memory-terminal.ts";

async function jobs(...argv: string[]) {
  const terminal = memoryTerminal();
  const code = await main(["jobs", ...argv], { terminal });
  return { code, out: terminal.stdout(), err: terminal.stderr() };
}

/** True since long ago. */
function conditionOf(type: string): object {
  return { type, status: "True", lastTransitionTime: "2026-01-02T03:04:05Z" };
}

describe("stalewatch jobs of a cluster", () => {
  let cluster: EmbeddedCluster;
  beforeEach(async () => {
    cluster = await EmbeddedCluster.start({ http: true });
  });
  afterEach(() => cluster[Symbol.asyncDispose]());

  function kubeconfig(): string {
    return join(folderOf({ kubeconfig: cluster.kubeconfig() }), "kubeconfig");
  }

  async function stuckJob(name: string, namespace: string): Promise<void> {
    const spec = { suspend: false, template: { spec: { containers: [] } } };
    const job = cluster.objects.create(resources.jobs, { metadata: { name, namespace }, spec });
    const owner = { apiVersion: "batch/v1", kind: "Job", name, uid: job.metadata.uid, controller: true };
    const labels = { "batch.kubernetes.io/job-name": name };
    const metadata = { name: `${name}-x`, namespace, labels, ownerReferences: [owner] };
    const state = { waiting: { reason: "ImagePullBackOff" } };
    const status = {
      phase: "Pending",
      startTime: "2026-01-02T03:04:05Z",
      containerStatuses: [{ name: "main", state }],
    };
    cluster.objects.create(resources.pods, { metadata, spec: { containers: [{ name: "main" }] }, status });
  }

  it("prints what is stuck, as from a dump of the cluster", async () => {
    await stuckJob("a", "shop");
    await stuckJob("b", "other");
    const { code, out, err } = await jobs("--kubeconfig", kubeconfig(), "-o", "json", "--exit-code", "-n", "shop");
    expect({ code, err }).toEqual({ code: 10, err: "" });
    const answer = JSON.parse(out) as { findings: object[] };
    expect(answer).toMatchObject({ objects: { jobs: 1, pods: 1 }, healthy: 0, groups: [], notes: [] });
    expect(answer.findings).toMatchObject([{ kind: "S13", severity: "critical", object: { name: "a" } }]);
    const all = JSON.parse((await jobs("--kubeconfig", kubeconfig(), "-o", "json", "-A")).out) as {
      findings: object[];
    };
    expect(all.findings).toHaveLength(2);
  });

  it.each([
    { argv: ["--parents", "generic"], findings: ["Run"], err: /^$/ },
    { argv: [], findings: [], err: /^$/ },
    {
      argv: ["--parents", "generic"],
      verb: "watch",
      findings: [],
      err: /^stalewatch: Run\.example\.com owns Jobs and is not judged: may not watch runs/,
    },
  ])("judges what owns Jobs when it is asked to: $argv, may not $verb", async ({ argv, verb, findings, err }) => {
    const runs = { group: "example.com", version: "v1", kind: "Run", resource: "runs" };
    cluster.register(runs);
    if (verb !== undefined) cluster.forbid({ verb, resource: "runs" });
    const run = { metadata: { name: "run" }, status: { conditions: [conditionOf("Ready")] } };
    const { uid } = cluster.objects.create(runs, run).metadata;
    const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Run", name: "run", uid, controller: true }];
    const job = { metadata: { name: "apply", ownerReferences }, status: { conditions: [conditionOf("Failed")] } };
    cluster.objects.create(resources.jobs, job);
    const told = await jobs("--kubeconfig", kubeconfig(), "-o", "json", ...argv);
    const answer = JSON.parse(told.out) as JobsAnswer;
    expect(answer.findings.map(({ object }) => object.kind)).toEqual(findings);
    expect(told.err).toMatch(err);
  });

  it("says that nothing is stuck in an empty cluster", async () => {
    expect(await jobs("--kubeconfig", kubeconfig())).toEqual({
      code: 0,
      out: "Nothing is stuck: 0 Jobs and 0 pods looked at, 0 Jobs healthy.\n",
      err: "",
    });
  });

  it("fails at once when the server cannot be reached", async () => {
    const path = kubeconfig();
    await cluster[Symbol.asyncDispose]();
    const { code, out, err } = await jobs("--kubeconfig", path);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^stalewatch: list jobs\.v1\.batch: .*\n$/);
  });
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("stalewatch jobs --server", () => {
  const finding = {
    kind: "S13",
    name: "image-cannot-be-pulled",
    reason: "ImagePullBackOff",
    severity: "warning",
    state: "stuck",
    object: { apiVersion: "batch/v1", kind: "Job", namespace: "shop", name: "a", uid: "1" },
    owner: { kind: "Job", name: "a" },
    since: "2026-01-02T03:04:05Z",
    sinceSource: "pod status.startTime",
    ageSeconds: 960,
    message: "it cannot be pulled",
    evidence: [],
    next: ["kubectl get pods"],
  };
  const answer = {
    at: "2026-01-02T03:20:05.000Z",
    objects: { jobs: 2 },
    healthy: 1,
    findings: [finding],
    groups: [],
    notes: [],
  };

  it("prints what the sidecar answers", async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url);
      response.end(JSON.stringify(answer));
    });
    expect((await jobs("--server", url)).out).toContain("Job/a");
    expect(JSON.parse((await jobs("--server", `${url}/`, "--all", "-o", "json")).out)).toEqual(answer);
    expect(JSON.parse((await jobs("--server", url, "-n", "other", "-o", "json")).out)).toMatchObject({ findings: [] });
    expect(asked).toEqual(["/api/v1/jobs", "/api/v1/jobs?all", "/api/v1/jobs"]);
  });

  it.each<[string, RequestListener, string]>([
    [
      "says no",
      (_, response) => response.writeHead(404).end("<html>"),
      "is no sidecar that can be asked: it answered 404 <html>",
    ],
    ["does not speak JSON", (_, response) => response.end("<html>"), "it did not answer with JSON"],
    ["says something else", (_, response) => response.end('{"at":1}'), "did not answer as a sidecar does: at "],
    ["sends elsewhere", (_, response) => response.writeHead(302, { location: "/x" }).end(), "cannot be asked: "],
    ["never answers", () => {}, "cannot be asked: no answer within 0.05 s: check that stalewatch run serves"],
  ])("fails when the server %s", async (_, listener, err) => {
    const failed = await jobs("--server", await serve(listener), "--request-timeout", "50ms");
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err).toContain(err);
  });

  it.each([
    [["--server", "ftp://x"], "--server x is no http or https address without credentials"],
    [["--server", "http://me:secret@x"], "--server x is no http or https address without credentials"],
    [["--server", "x y"], "--server x y is no http or https address"],
    [["--at", "2026-01-02T03:20:05Z"], "--at is for files"],
    [["--server", "http://x", "--limits", "l"], "--limits cannot be given with --server: give it to the sidecar"],
    [["--server", "http://x", "--parents", "x"], "--parents cannot be given with --server: give it to the sidecar"],
    [
      ["--server", "http://x", "--kubeconfig", "x"],
      "--kubeconfig cannot be given with --server: give it to the sidecar",
    ],
    [["--server", "http://x", "--context", "x"], "--context cannot be given with --server: give it to the sidecar"],
  ])("%j is wrong usage", async (argv, err) => {
    const failed = await jobs(...argv);
    expect(failed).toMatchObject({ code: 2, out: "" });
    expect(failed.err).toContain(err);
    expect(failed.err).not.toContain("secret");
  });
});
