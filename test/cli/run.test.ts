import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import { main } from "../../src/cli/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { type MemoryTerminal, memoryTerminal } from "./memory-terminal.ts";

const freePorts = ["--metrics-bind-address", "--health-probe-bind-address", "--status-bind-address"].map(
  (flag) => `${flag}=127.0.0.1:0`,
);
const tls = join(import.meta.dirname, "tls");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stalewatch-run-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start({ http: true, users: { valid: "somebody" } });
});
afterEach(() => cluster[Symbol.asyncDispose]());

interface Kubeconfig {
  clusters: [{ cluster: Record<string, unknown> }];
  users: [{ user: Record<string, unknown> }];
  [field: string]: unknown;
}

/** The embedded cluster's kubeconfig with something changed, as a file. */
function kubeconfig(change: (config: Kubeconfig) => void = () => {}): string {
  const config = parse(cluster.kubeconfig()) as Kubeconfig;
  change(config);
  const path = join(folder, "kubeconfig");
  writeFileSync(path, stringify(config));
  return path;
}

/** `stalewatch run` until `during` has seen enough; answers its exit code. */
async function runUntil(argv: readonly string[], during: (terminal: MemoryTerminal) => Promise<void>): Promise<number> {
  const terminal = memoryTerminal();
  const stop = new AbortController();
  const running = main(["run", ...freePorts, ...argv], { terminal, signal: stop.signal });
  const early = running.then(() => Promise.reject(new Error(`run ended by itself: ${terminal.stderr()}`)));
  await Promise.race([during(terminal), early]);
  early.catch(() => {}); // from here on its end is wanted
  stop.abort();
  const code = await running;
  expect(terminal.stdout()).toBe("");
  for (const line of terminal.stderr().trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("message");
  return code;
}

/** `stalewatch run` that gives up by itself. */
async function runFails(...argv: string[]): Promise<{ code: number; err: string }> {
  const terminal = memoryTerminal();
  const code = await main(["run", "--log-level=error", ...argv], { terminal });
  return { code, err: terminal.stderr() };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("stalewatch run", () => {
  it("logs where it listens, watches, and exits 0 when asked to stop", async () => {
    cluster.objects.create(resources.jobs, { metadata: { name: "a" }, spec: { template: { spec: {} } } });
    const code = await runUntil(["--kubeconfig", kubeconfig()], async (terminal) => {
      const line = JSON.parse(await terminal.whenErr(/"listener":"status"/)) as { url: string };
      await terminal.whenErr(/"watching"/);
      const answer = await fetch(`${line.url}/api/v1/jobs`, { headers: { connection: "close" } });
      expect(await answer.json()).toHaveProperty("findings");
    });
    expect(code).toBe(0);
    await vi.waitFor(() => expect(cluster.openWatches()).toBe(0)); // until the server has noticed
  });

  it("exits 0 on SIGTERM, as a process", async () => {
    const bin = join(import.meta.dirname, "../../bin/stalewatch.js");
    const child = spawn(process.execPath, [bin, "run", ...freePorts, "--kubeconfig", kubeconfig()], { stdio: "pipe" });
    const lines: string[] = [];
    for await (const chunk of child.stderr) {
      lines.push(String(chunk));
      if (lines.join("").includes('"watching"')) break;
    }
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  });
});

describe("run --leader-elect", () => {
  const { leases } = resources;
  const lease = { namespace: "kube-system", name: "watchers" };
  const named = ["--leader-elect", "--leader-election-id=watchers", "--leader-election-namespace=kube-system"];
  const quick = [
    "--leader-elect-lease-duration=3s",
    "--leader-elect-renew-deadline=2s",
    "--leader-elect-retry-period=200ms",
  ];

  it("holds the Lease that it is told, and gives it back", async () => {
    const code = await runUntil(["--kubeconfig", kubeconfig(), ...named, ...quick], async (terminal) => {
      await terminal.whenErr(/"became the leader"/);
      expect(cluster.objects.get(leases, lease)?.spec).toMatchObject({ leaseDurationSeconds: 3 });
    });
    expect(code).toBe(0);
    expect(cluster.objects.get(leases, lease)?.spec.holderIdentity).toBe("");
  });

  it("holds one of its own name in the context's namespace unless told, and none unless asked to", async () => {
    await runUntil(["--kubeconfig", kubeconfig()], async (terminal) => void (await terminal.whenErr(/"watching"/)));
    expect(cluster.objects.list(leases)).toEqual([]);
    await runUntil(["--kubeconfig", kubeconfig(), "--leader-elect"], async (terminal) => {
      await terminal.whenErr(/"became the leader"/);
    });
    const held = cluster.objects.list(leases).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(held).toEqual(["default/stalewatch"]);
  });

  it("exits 1 with one line when the Lease is lost", async () => {
    const terminal = memoryTerminal();
    const running = main(["run", ...freePorts, "--kubeconfig", kubeconfig(), ...named, ...quick], { terminal });
    await terminal.whenErr(/"became the leader"/);
    cluster.objects.patch(leases, lease, { spec: { holderIdentity: "usurper" } });
    expect(await running).toBe(1);
    expect(terminal.stderr().trimEnd().split("\n").at(-1)).toBe(
      'stalewatch: lost the lease kube-system/watchers: "usurper" holds it now: restart the process to stand again',
    );
  });
});

describe("run stays up and says in one line what is wrong", () => {
  const bad: Record<string, { change: (config: Kubeconfig) => void | Promise<void>; argv?: string[]; says: RegExp }> = {
    "an unreachable server": {
      change: async ({ clusters }) => {
        const free = createServer();
        const port = await listen(free);
        free.close();
        clusters[0].cluster["server"] = `http://127.0.0.1:${port}`;
      },
      says: /127\.0\.0\.1:\d+.*check that the API server runs/,
    },
    "a token that has expired": {
      change: ({ users }) => {
        users[0].user["token"] = "expired-token-value";
      },
      says: /401.*renew the token/,
    },
  };

  it.each(Object.entries(bad))("%s", async (_, { change, says }) => {
    const config = parse(cluster.kubeconfig()) as Kubeconfig;
    await change(config);
    const path = join(folder, "bad");
    writeFileSync(path, stringify(config));
    const code = await runUntil(["--kubeconfig", path], async (terminal) => {
      await terminal.whenErr(says);
      expect(terminal.stderr()).not.toContain("expired-token-value");
    });
    expect(code).toBe(0);
  });

  it("a certificate authority that did not sign the server's certificate", async () => {
    const server = createTlsServer({
      cert: readFileSync(join(tls, "server.crt")),
      key: readFileSync(join(tls, "server.key")),
    });
    const port = await listen(server);
    const path = kubeconfig(({ clusters }) => {
      const ca = readFileSync(join(tls, "other-ca.crt")).toString("base64");
      clusters[0].cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": ca };
    });
    const code = await runUntil(["--kubeconfig", path], async (terminal) => {
      await terminal.whenErr(/certificate.*: give the cluster's certificate-authority in the kubeconfig/);
    });
    expect(code).toBe(0);
    server.close();
  });

  it("a forbidden list and watch", async () => {
    cluster.forbid({ resource: "jobs" });
    const code = await runUntil(["--kubeconfig", kubeconfig()], async (terminal) => {
      await terminal.whenErr(
        /apiGroups: \[\\"batch\\"\], resources: \[\\"jobs\\"\], verbs: \[\\"list\\", \\"watch\\"\]/,
      );
    });
    expect(code).toBe(0);
  });

  it("a kind that the server lacks", async () => {
    const code = await runUntil(["--kubeconfig", kubeconfig(), "--watch", "batch/v1/job"], async (terminal) => {
      await terminal.whenErr(/does not serve job\.v1\.batch: did you mean batch\/v1\/jobs\?/);
    });
    expect(code).toBe(0);
  });
});

describe("run ends at once, with one line, where going on is pointless", () => {
  it("a kubeconfig without current-context", async () => {
    const path = kubeconfig((config) => delete config["current-context"]);
    const { code, err } = await runFails("--kubeconfig", path);
    expect(code).toBe(1);
    expect(err).toMatch(/^stalewatch: [^\n]*kubeconfig[^\n]*current-context[^\n]*--context[^\n]*\n$/);
  });

  it("a kubeconfig that is not there", async () => {
    const { code, err } = await runFails("--kubeconfig", join(folder, "nowhere"));
    expect(code).toBe(1);
    expect(err).toMatch(/^stalewatch: [^\n]*nowhere[^\n]*\n$/);
  });

  it("a context that the kubeconfig lacks", async () => {
    const { code, err } = await runFails("--kubeconfig", kubeconfig(), "--context", "prod");
    expect(code).toBe(1);
    expect(err).toMatch(/^stalewatch: [^\n]*prod[^\n]*\n$/);
  });

  it("a port in use", async () => {
    const taken = createServer();
    const address = `127.0.0.1:${await listen(taken)}`;
    const { code, err } = await runFails("--kubeconfig", kubeconfig(), `--metrics-bind-address=${address}`);
    expect(code).toBe(1);
    expect(err).toBe(
      `stalewatch: --metrics-bind-address: another process listens on ${address}: stop it, choose another port, or port 0 for a free one\n`,
    );
    taken.close();
  });

  it.each([
    ["--metrics-bind-address=:0", /ADDRESS|would serve metrics without TLS.*--metrics-secure=false/],
    ["--status-bind-address=localhost", /"localhost" is not an address to bind/],
    ["--leader-elect=true --leader-elect-lease-duration=5s", /lease 5000 ms.* must be longer than the renew deadline/],
    ["--feature-gates=StaleControllerConsistencyJobs=true", /did you mean StaleControllerConsistencyJob\?/],
  ])("%s is wrong usage", async (argument, says) => {
    const { code, err } = await runFails("--kubeconfig", kubeconfig(), ...freePorts, ...argument.split(" "));
    expect(code).toBe(2);
    expect(err).toMatch(says);
    expect(err.split("\n")).toHaveLength(2);
  });

  it("a key of the configuration file that is mistyped", async () => {
    const path = join(folder, "config.yaml");
    writeFileSync(path, "concurency: 4\n");
    const { code, err } = await runFails("--config", path);
    expect(code).toBe(2);
    expect(err).toBe(`stalewatch: ${path}: there is no setting concurency: did you mean concurrency?\n`);
  });
});

async function doctor(...argv: string[]): Promise<{ code: number; out: string }> {
  const terminal = memoryTerminal();
  const code = await main(["doctor", "--kubeconfig", kubeconfig(), ...argv], { terminal });
  return { code, out: terminal.stdout() };
}

describe("stalewatch doctor", () => {
  it("prints a line each and exits 0 when all is well", async () => {
    const { code, out } = await doctor();
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => line.slice(0, 17).trimEnd())).toEqual([
      "ok    tracing",
      "ok    cluster",
      "ok    version",
      "ok    clock",
      ...Array.from({ length: 7 }, () => "ok    access"),
    ]);
  });

  it("exits 1 with the rule to add where one is missing, in three formats", async () => {
    cluster.forbid({ verb: "list", resource: "namespaces" });
    const rule = 'add to a ClusterRole: {apiGroups: [""], resources: ["namespaces"], verbs: ["list"]}';
    const found = "may not list namespaces in the cluster, to say why something is stuck";
    expect(await doctor()).toMatchObject({
      code: 1,
      out: expect.stringContaining(`FAIL  access       ${found}: ${rule}\n`) as string,
    });
    const json = JSON.parse((await doctor("-o", "json")).out) as unknown[];
    expect(json.at(-1)).toEqual({
      check: "access",
      ok: false,
      found,
      remedy: rule,
    });
    expect((parse((await doctor("-o", "yaml")).out) as unknown[]).at(-1)).toEqual(json.at(-1));
  });
});
