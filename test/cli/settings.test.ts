import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderFlagsPage } from "../../src/cli/index.ts";
import { declareFlags } from "../../src/cli/settings/declare.ts";
import { resolveSettings } from "../../src/cli/settings/resolve.ts";
import { runFlags } from "../../src/cli/settings/run-flags.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stalewatch-settings-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function settings(argv: string[], env: Record<string, string> = {}) {
  const command = new Command("run").exitOverride();
  declareFlags(command, runFlags);
  command.parse(argv, { from: "user" });
  return resolveSettings(runFlags, { options: command.opts(), env });
}

describe("a setting", () => {
  it("comes from its flag, else its variable, else the file, else its default", async () => {
    const path = file("order.yaml", "sync-period: 3m\nconcurrency: 7\n");
    const env = { STALEWATCH_SYNC_PERIOD: "2m" };
    const periodOf = async (argv: string[], variables?: Record<string, string>): Promise<number> =>
      (await settings(argv, variables))["sync-period"];
    expect(await periodOf(["--sync-period", "1m", "--config", path], env)).toBe(60_000);
    expect(await periodOf(["--config", path], env)).toBe(120_000);
    expect(await periodOf(["--config", path])).toBe(180_000);
    expect(await periodOf([])).toBe(600_000);
    expect((await settings([], { STALEWATCH_CONFIG: path })).concurrency).toBe(7);
  });

  it("that is repeatable takes flags, commas and lists", async () => {
    const path = file("lists.yaml", "namespace: [a, b]\nfeature-gates:\n  StaleControllerConsistencyJob: false\n");
    expect((await settings(["--namespace", "a", "--namespace", "b,c"])).namespace).toEqual(["a", "b", "c"]);
    expect((await settings([], { STALEWATCH_NAMESPACE: "a,b" })).namespace).toEqual(["a", "b"]);
    const fromFile = await settings(["--config", path]);
    expect(fromFile.namespace).toEqual(["a", "b"]);
    expect(fromFile["feature-gates"]).toEqual(["StaleControllerConsistencyJob=false"]);
    expect((await settings([])).namespace).toEqual([]);
  });

  it("that is a switch is on when named, and takes true and false", async () => {
    expect((await settings(["--trace-noop"]))["trace-noop"]).toBe(true);
    expect((await settings(["--metrics-secure=false"]))["metrics-secure"]).toBe(false);
    expect((await settings(["--config", file("switch.yaml", "metrics-secure: false")]))["metrics-secure"]).toBe(false);
  });

  it("names kinds as the API serves them", async () => {
    expect((await settings(["--watch", "apps/v1/deployments,v1/configmaps"])).watch).toEqual([
      { group: "apps", version: "v1", resource: "deployments" },
      { group: "", version: "v1", resource: "configmaps" },
    ]);
  });
});

describe("a mistake is told in one line that names the setting and the remedy", () => {
  it.each([
    [
      ["--sync-period", "10 minutes"],
      '--sync-period: "10 minutes" is not a duration: write it as "30s", "10m" or "1h30m"',
    ],
    [["--sync-period", "-1m"], '--sync-period must be more than zero, not "-1m"'],
    [["--concurrency", "0"], '--concurrency must be a whole number from 1 to 1000, not "0"'],
    [["--concurrency", "two"], '--concurrency must be a whole number from 1 to 1000, not "two"'],
    [["--log-level", "loud"], '--log-level must be one of debug, info, warn, error, not "loud"'],
    [["--metrics-secure=maybe"], '--metrics-secure must be true or false, not "maybe"'],
    [["--watch", "v1/secrets"], '--watch: "v1/secrets" is never read: leave it out'],
    [
      ["--watch", "Deployment"],
      '--watch: "Deployment" is not GROUP/VERSION/RESOURCE: write the plural as the API serves it, such as apps/v1/deployments or v1/configmaps',
    ],
  ])("%j", async (argv, message) => {
    await expect(settings(argv)).rejects.toThrow(expect.objectContaining({ message, code: "USAGE" }) as Error);
  });

  it("in a variable", async () => {
    await expect(settings([], { STALEWATCH_CONCURRENCY: "x" })).rejects.toThrow(/^STALEWATCH_CONCURRENCY must be/);
  });

  it.each([
    ["typo.yaml", "sync-perid: 1m", /typo\.yaml: there is no setting sync-perid: did you mean sync-period\?$/],
    ["far.yaml", "colour: red", /far\.yaml: there is no setting colour: see stalewatch run --help for the names$/],
    ["value.yaml", "concurrency: many", /value\.yaml: concurrency must be a whole number from 1 to 1000, not "many"$/],
    ["twice.yaml", "context: [a, b]", /twice\.yaml: context needs one value$/],
    ["empty.yaml", "context:", /empty\.yaml: context needs one value$/],
    ["list.yaml", "- a\n- b", /list\.yaml is not a map of settings: write a "flag: value" line/],
    ["broken.yaml", "a: 1\nb: [1,\n", /broken\.yaml line \d is not YAML: \S+/],
  ])("in %s", async (name, text, message) => {
    const failed = settings(["--config", file(name, text)]);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(/^[^\n]*$/);
  });

  it("when the file is not there", async () => {
    await expect(settings(["--config", "/nowhere.yaml"])).rejects.toThrow(
      /--config \/nowhere\.yaml cannot be read: ENOENT/,
    );
  });
});

it("has its line in the page of flags", () => {
  const page = renderFlagsPage();
  for (const [name, { fileOnly }] of Object.entries(runFlags))
    expect(page).toContain(`| \`${fileOnly ? "" : "--"}${name}`);
  expect(page).toContain("| `--sync-period DURATION` | `STALEWATCH_SYNC_PERIOD` | `10m` |");
});
