import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

interface Output {
  stdout: string;
  stderr: string;
}

const root = join(import.meta.dirname, "../..");

/** What a user gets: the tarball, installed into an empty folder from the registry's dependencies alone. */
describe("the packed tarball", () => {
  let folder: string;
  let tarball: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "stalewatch-package-"));
    const packed = await run("npm", ["pack", "--json", "--pack-destination", folder], root);
    // The build of `prepack` may say something before npm does.
    const [made] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[\n"))) as [{ filename: string }];
    tarball = join(folder, made.filename);
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run("npm", ["install", "--no-audit", "--no-fund", tarball], folder);
  }, 300_000);

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test("runs: stalewatch version", async () => {
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    const { stdout } = await run("npx", ["--no-install", "stalewatch", "version"], folder);
    expect(stdout).toMatch(/^stalewatch (\S+), Node [\d.]+, commit [0-9a-f]{40}\n$/);
    expect(stdout).toContain(` ${version},`);
  });

  test("plays the demo to its end", async () => {
    const { stdout } = await run("npx", ["--no-install", "stalewatch", "demo", "--for", "3s"], folder);
    expect(stdout).toContain("Everything has stopped; nothing is left running.");
  });

  test("answers `stalewatch version` in under 150 ms", async () => {
    const bin = join(folder, "node_modules/stalewatch/bin/stalewatch.js");
    const times: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const from = performance.now();
      await run(process.execPath, [bin, "version"], folder);
      times.push(performance.now() - from);
    }
    expect(Math.min(...times)).toBeLessThan(150); // the least disturbed of ten
  });

  test("is imported by name, the runtime and the testing part", async () => {
    const script = 'import { Manager } from "stalewatch"; import { EmbeddedCluster } from "stalewatch/testing";';
    const { stdout } = await run("node", ["-e", `${script} console.log(Manager.name, EmbeddedCluster.name)`], folder);
    expect(stdout.trim()).toBe("Manager EmbeddedCluster");
  });

  test("type-checks a program of its user, who has no stalewatch source", async () => {
    const program =
      'import { Controller, resources } from "stalewatch";\nnew Controller("x", { for: resources.jobs, reconcile() {} });\n';
    await writeFile(join(folder, "program.ts"), program);
    const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--lib", "es2024,esnext.disposable", ...types];
    const { stdout } = await run(join(root, "node_modules/.bin/tsc"), [...options, "program.ts"], folder);
    expect(stdout).toBe("");
  });

  test("names the remedy on a Node that is too old", async () => {
    const old = join(folder, "old");
    const bin = await readFile(join(folder, "node_modules/stalewatch/bin/stalewatch.js"), "utf8");
    await mkdir(old);
    await writeFile(join(old, "stalewatch.js"), bin.replaceAll("process.versions.node", '"20.19.0"'));
    const failed = await run(process.execPath, [join(old, "stalewatch.js"), "version"], dirname(old)).catch(
      (thrown: Output & { code: number }) => thrown,
    );
    expect(failed).toMatchObject({ code: 2, stdout: "" });
    expect(failed.stderr).toMatch(/^stalewatch: [^\n]*20\.19\.0[^\n]*Node[^\n]*\n$/);
  });

  test("passes publint", async () => {
    const { stdout } = await run(join(root, "node_modules/.bin/publint"), ["--strict", tarball], folder);
    expect(stdout).toContain("All good");
  });

  test("has types that resolve (attw)", async () => {
    const args = ["--profile", "esm-only", "--format", "json", tarball];
    const { stdout } = await run(join(root, "node_modules/.bin/attw"), args, folder);
    const { problems } = JSON.parse(stdout) as { problems: Record<string, { resolutionKind: string }[]> };
    const kinds = Object.values(problems).flatMap((found) => found.map(({ resolutionKind }) => resolutionKind));
    expect(kinds.filter((kind) => kind === "node16-esm" || kind === "bundler")).toEqual([]);
  });
});

async function run(command: string, args: readonly string[], cwd: string): Promise<Output> {
  return promisify(execFile)(command, args, { cwd, env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 2 ** 24 });
}
