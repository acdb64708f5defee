import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { folderOf } from "../dump/files.ts";
import { memoryTerminal } from "./memory-terminal.ts";

/** The first call loads the libraries that a kubeconfig takes. */
const WAIT = { timeout: 20_000 };

let cluster: EmbeddedCluster;
let folder: string;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start({ http: true });
  folder = folderOf({ kubeconfig: cluster.kubeconfig() });
});
afterEach(() => cluster[Symbol.asyncDispose]());

type Line = Record<string, unknown> & { at: string; type: string; object?: { kind: string; items: object[] } };

function linesIn(path: string): Line[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

async function record(file: string, during: (path: string) => Promise<void>, ...argv: string[]) {
  const terminal = memoryTerminal();
  const stop = new AbortController();
  const path = join(folder, file);
  const running = main(["record", "-o", path, "--kubeconfig", join(folder, "kubeconfig"), ...argv], {
    terminal,
    signal: stop.signal,
  });
  await during(path);
  stop.abort();
  return { code: await running, path, err: terminal.stderr() };
}

function create(name: string): void {
  const container = { name: "main", image: "x", env: [{ name: "TOKEN", value: "secret" }] };
  cluster.objects.create(resources.jobs, {
    metadata: {
      name,
      namespace: "shop",
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "secret" },
    },
    spec: { suspend: false, template: { spec: { containers: [container] } } },
  });
  cluster.objects.create(resources.pods, { metadata: { name, namespace: "shop" }, spec: { containers: [container] } });
}

function whenHas(path: string, wanted: (line: Line) => boolean): Promise<void> {
  return vi.waitFor(() => expect(linesIn(path).some(wanted)).toBe(true), WAIT);
}

/** True since long ago. */
function conditionOf(type: string): object {
  return { type, status: "True", lastTransitionTime: "2026-01-02T03:04:05Z" };
}

describe("stalewatch record", () => {
  it("writes lists and events in order of time, and an end, without anything secret", async () => {
    create("before");
    const { code, path, err } = await record("r.ndjson", async (file) => {
      await whenHas(file, ({ type, object }) => type === "LISTED" && object?.kind === "JobList");
      create("after");
      await whenHas(file, ({ type, object }) => type === "ADDED" && object?.kind === "Job");
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = linesIn(path);
    const times = lines.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(lines.at(-1)?.type).toBe("END");
    const jobs = lines.find(({ object }) => object?.kind === "JobList");
    expect(jobs).toMatchObject({ type: "LISTED", sentAt: expect.any(String) as string });
    expect(jobs?.object).toMatchObject({ apiVersion: "batch/v1", metadata: { resourceVersion: /^\d+$/ } });
    expect(jobs?.object?.items).toMatchObject([{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "before" } }]);
    expect(readFileSync(path, "utf8")).not.toContain("secret");
  });

  it("writes what replay judges as the sidecar would have", async () => {
    create("a");
    const { path } = await record("r.ndjson.gz", async () => {
      await vi.waitFor(() => expect(cluster.openWatches()).toBeGreaterThan(3), WAIT);
    });
    const terminal = memoryTerminal();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect(await main(["replay", path, "--until", until, "-o", "json"], { terminal })).toBe(0);
    const { final } = JSON.parse(terminal.stdout()) as { final: { kind: string; object: { name: string } }[] };
    expect(final.map(({ kind, object }) => `${kind} ${object.name}`)).toEqual(["S01 a"]);
  });

  it("ends by itself, watches one namespace, and makes no other file of one that is there", async () => {
    const { path } = await record("r.ndjson", async () => {}, "--for", "10s", "-n", "shop");
    for (const line of linesIn(path).filter(({ type }) => type === "LISTED")) {
      if (line.object?.kind === "JobList") expect(line).toMatchObject({ namespace: "shop" });
    }
    writeFileSync(join(folder, "there"), "x");
    const again = await record("there", async () => {});
    expect(again).toMatchObject({ code: 1, err: /there is already there: name another file\n$/ });
    expect(readFileSync(join(folder, "there"), "utf8")).toBe("x");
  });

  it("wants a file", async () => {
    const terminal = memoryTerminal();
    expect(await main(["record"], { terminal })).toBe(2);
    expect(terminal.stderr()).toBe("stalewatch: record needs a file to write: name one with -o\n");
  });

  it("records the kinds that own Jobs as they are found, and a replay finds them", async () => {
    const runs = { group: "example.com", version: "v1", kind: "Run", resource: "runs" };
    cluster.register(runs);
    const run = { metadata: { name: "run", namespace: "shop" }, status: { conditions: [conditionOf("Ready")] } };
    const { uid } = cluster.objects.create(runs, run).metadata;
    const { path, code, err } = await record(
      "parents.ndjson",
      async (file) => {
        await whenHas(file, ({ type, object }) => type === "LISTED" && object?.kind === "JobList");
        const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Run", name: "run", uid, controller: true }];
        const metadata = { name: "apply", namespace: "shop", ownerReferences };
        cluster.objects.create(resources.jobs, { metadata, status: { conditions: [conditionOf("Failed")] } });
        await whenHas(file, ({ type, object }) => type === "LISTED" && object?.kind === "RunList");
      },
      "--parents",
      "generic",
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const replayed = async (...argv: string[]): Promise<readonly string[]> => {
      const terminal = memoryTerminal();
      await main(["replay", path, "-o", "json", ...argv], { terminal });
      const { final } = JSON.parse(terminal.stdout()) as { final: { kind: string; object: { kind: string } }[] };
      return final.map(({ kind, object }) => `${kind} ${object.kind}`);
    };
    expect(await replayed("--parents", "generic")).toEqual(["S36 Run"]);
    expect(await replayed()).toEqual([]);
  });
});
