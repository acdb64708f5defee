import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { resources } from "stalewatch";
import { EmbeddedCluster, simulateJobs } from "stalewatch/testing";
import { read, root } from "./markdown.ts";

/** A fenced block: its language, and the file that it is the content of, if it says so. */
interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

const SOURCE = "--conditions=stalewatch-source";

function blocksOf(document: string): Block[] {
  return [...read(document).matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```/gm)].map(
    ([, language = "", file = "", text = ""]) => ({ language, file: file || undefined, text }),
  );
}

/** What the reader has done up to each `node` command: the files as they are then, and the command. */
function stepsOf(blocks: readonly Block[]): { command: string; files: ReadonlyMap<string, string> }[] {
  const files = new Map<string, string>();
  const steps: { command: string; files: ReadonlyMap<string, string> }[] = [];
  for (const { language, file, text } of blocks) {
    if (file) files.set(file, text);
    if (language === "sh" && text.startsWith("node ")) steps.push({ command: text.trim(), files: new Map(files) });
  }
  return steps;
}

const blocks = blocksOf("docs/runtime.md");
const steps = stepsOf(blocks);
const folders: string[] = [];

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** A folder with these files, in which stalewatch is installed. */
async function folderWith(files: ReadonlyMap<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "stalewatch-guide-"));
  folders.push(folder);
  await mkdir(join(folder, "node_modules/@types"), { recursive: true });
  await symlink(root, join(folder, "node_modules/stalewatch"));
  await symlink(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  // The sources of stalewatch need it; its declarations, which readers have, do not.
  await symlink(join(root, "src/testing/api/json-merge-patch.d.ts"), join(folder, "json-merge-patch.d.ts"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  return folder;
}

/** What a program printed, and its exit code. */
function run(cwd: string, program: string, options: readonly string[]): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(program, options, { cwd }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, out: stdout + stderr }),
    );
  });
}

function runTests(folder: string): Promise<{ code: number; out: string }> {
  return run(folder, process.execPath, [SOURCE, "--test", "--test-reporter=tap"]);
}

test("each block is a file or a command", () => {
  expect(blocks.filter(({ language, file }) => language !== "sh" && !file)).toEqual([]);
  expect(steps.map(({ command }) => command)).toEqual(["node --test", "node --test", "node --test", "node main.ts"]);
});

test.each(steps.map((step, nth) => ({ nth: nth + 1, ...step })))(
  "what there is by command $nth compiles",
  async ({ files }) => {
    const options = ["--customConditions", "stalewatch-source"];
    const result = await run(await folderWith(files), join(root, "node_modules/.bin/tsc"), options);
    expect(result).toEqual({ code: 0, out: "" });
  },
);

test.each(steps.slice(0, -1).map((step, nth) => ({ nth: nth + 1, ...step })))(
  "the tests pass that there are by command $nth",
  async ({ files }) => {
    const { code, out } = await runTests(await folderWith(files));
    expect(out).toMatch(/^# tests [1-9]/m);
    expect(out).toMatch(/^# fail 0$/m);
    expect(code).toBe(0);
  },
);

test("the test of letting go fails with the controller of the step before", async () => {
  const controller = steps[1]?.files.get("controller.ts") ?? "";
  const { code, out } = await runTests(
    await folderWith(new Map([...(steps[2]?.files ?? []), ["controller.ts", controller]])),
  );
  expect(out).toContain("error: 'it is kept'");
  expect(code).toBe(1);
});

test("the program runs on a cluster, and stops when it is told to", async () => {
  const folder = await folderWith(steps.at(-1)?.files ?? new Map());
  await using cluster = await EmbeddedCluster.start({ http: true });
  const backups = { group: "example.com", version: "v1", kind: "Backup", resource: "backups" };
  cluster.register({ ...backups, subresources: ["status"] });
  const stopJobs = simulateJobs(cluster);
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig());
  const started = new Promise((resolve) => cluster.objects.onChange(resources.jobs, resolve));
  cluster.objects.create(backups, { metadata: { name: "photos" }, spec: { image: "registry.example/backup:v1" } });

  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const program = spawn(process.execPath, [SOURCE, "main.ts"], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(program, "exit");
  await Promise.race([started, ended]);
  expect(program.exitCode, "it still runs").toBeNull();
  expect(cluster.objects.list(resources.jobs)).toHaveLength(1);
  program.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  const lease = cluster.objects.get(resources.leases, "default/backup-controller");
  expect(lease?.spec.holderIdentity, "its lease is given back").toBe("");
  stopJobs();
});
