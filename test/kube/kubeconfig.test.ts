import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadCluster } from "../../src/kube/index.ts";
import { kubeconfigText, TemporaryFiles } from "./temporary-files.ts";

let files: TemporaryFiles;

beforeEach(() => {
  files = new TemporaryFiles();
  vi.stubEnv("KUBECONFIG", "");
  vi.stubEnv("HOME", files.directory);
  vi.stubEnv("KUBERNETES_SERVICE_HOST", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  files[Symbol.dispose]();
});

const main = kubeconfigText({ server: "https://main.test:6443", context: { namespace: "shop" } });

describe("loadCluster", () => {
  it("reads the file given", async () => {
    await expect(loadCluster({ kubeconfig: files.write("config", main) })).resolves.toMatchObject({
      server: "https://main.test:6443",
      contextName: "main",
      namespace: "shop",
      inCluster: false,
      transport: { host: "main.test:6443" },
    });
  });

  it("fills in the scheme's port and the default namespace", async () => {
    const kubeconfig = files.write("config", kubeconfigText({ server: "https://main.test/" }));
    await expect(loadCluster({ kubeconfig })).resolves.toMatchObject({
      namespace: "default",
      transport: { host: "main.test:443" },
    });
  });

  it("merges the files of KUBECONFIG, the first one's word counting, and passes over those that do not exist", async () => {
    const first = files.write("first", main);
    const second = files.write(
      "second",
      JSON.stringify({
        "current-context": "other",
        clusters: [
          { name: "c", cluster: { server: "https://shadowed.test" } },
          { name: "d", cluster: { server: "https://other.test" } },
        ],
        users: [],
        contexts: [{ name: "other", context: { cluster: "d", user: "u" } }],
      }),
    );
    vi.stubEnv("KUBECONFIG", ["/does/not/exist", first, second].join(delimiter));
    await expect(loadCluster()).resolves.toMatchObject({ contextName: "main", server: "https://main.test:6443" });
    await expect(loadCluster({ context: "other" })).resolves.toMatchObject({ server: "https://other.test" });
  });

  it("finds ~/.kube/config", async () => {
    const { mkdirSync } = await import("node:fs");
    mkdirSync(join(files.directory, ".kube"));
    files.write(join(".kube", "config"), main);
    await expect(loadCluster()).resolves.toMatchObject({ contextName: "main" });
  });

  it("takes a context whose user is not there as anonymous", async () => {
    const kubeconfig = files.write(
      "config",
      kubeconfigText({ server: "http://plain.test:8001", context: { user: "nobody" } }),
    );
    await expect(loadCluster({ kubeconfig })).resolves.toMatchObject({ server: "http://plain.test:8001" });
  });
});

const socksProxied = kubeconfigText({
  server: "https://x",
  cluster: { "proxy-url": "socks5://me:s3cret@proxy.test" },
});

describe("a kubeconfig that does not do", () => {
  const parsed = JSON.parse(main) as Record<string, unknown>;
  const without = (key: string): string => JSON.stringify({ ...parsed, [key]: undefined });

  it.each([
    ["KUBECONFIG_INVALID", "users: [}\n- token: s3cret", /not YAML: .* in line 1/],
    ["KUBECONFIG_INVALID", "", /input is empty/],
    ["KUBECONFIG_INVALID", "null", /empty or no kubeconfig/],
    ["KUBECONFIG_INVALID", "clusters: [{name: c}]", /clusters\[0\]\.cluster is missing/],
    ["KUBECONFIG_INVALID", kubeconfigText({ server: "main.test" }), /server is no http or https address: write it as/],
    ["KUBECONFIG_INVALID", socksProxied, /proxy-url is no http or https address/],
    ["KUBECONFIG_INVALID", kubeconfigText({ server: "https://x", context: { cluster: "gone" } }), /cluster "gone"/],
    ["KUBECONFIG_NO_CONTEXT", without("current-context"), /has no current-context: .*--context.*it has main/],
    ["KUBECONFIG_UNKNOWN_CONTEXT", without("contexts"), /has no context "main": .*it has none/],
  ])("is %s, in one line without its secrets", async (code, text, message) => {
    const kubeconfig = files.write("config", text);
    const thrown: unknown = await loadCluster({ kubeconfig }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(String(thrown)).not.toMatch(/s3cret|\n/);
  });

  it("may not have the context asked for", async () => {
    const kubeconfig = files.write("config", main);
    await expect(loadCluster({ kubeconfig, context: "mian" })).rejects.toMatchObject({
      code: "KUBECONFIG_UNKNOWN_CONTEXT",
      message: expect.stringMatching(/no context "mian": choose one \(it has main\)/),
    });
  });

  it("may not be there, or not be readable", async () => {
    await expect(loadCluster({ kubeconfig: "/does/not/exist" })).rejects.toMatchObject({
      code: "KUBECONFIG_UNREADABLE",
      message: expect.stringMatching(/\/does\/not\/exist: ENOENT/),
    });
    await expect(loadCluster({ kubeconfig: files.directory })).rejects.toMatchObject({ code: "KUBECONFIG_UNREADABLE" });
    if (process.getuid?.() === 0) return; // root may read everything
    const path = files.write("config", main);
    chmodSync(path, 0);
    await expect(loadCluster({ kubeconfig: path })).rejects.toMatchObject({ code: "KUBECONFIG_UNREADABLE" });
  });

  it("may be nowhere", async () => {
    await expect(loadCluster()).rejects.toMatchObject({
      code: "KUBECONFIG_NOT_FOUND",
      message: expect.stringMatching(
        /KUBECONFIG is not set.*\.kube\/config does not exist: name a file with --kubeconfig/,
      ),
    });
    vi.stubEnv("KUBECONFIG", "/does/not/exist");
    await expect(loadCluster()).rejects.toMatchObject({
      code: "KUBECONFIG_NOT_FOUND",
      message: expect.stringMatching(/KUBECONFIG names \/does\/not\/exist/),
    });
  });
});
