import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { commands } from "../../src/cli/commands.ts";
import { main } from "../../src/cli/index.ts";
import { memoryTerminal } from "./memory-terminal.ts";

async function stalewatch(...argv: string[]) {
  return stalewatchIn({}, ...argv);
}

async function stalewatchIn(env: Readonly<Record<string, string>>, ...argv: string[]) {
  const terminal = memoryTerminal(env);
  const code = await main(argv, { terminal });
  return { code, out: terminal.stdout(), err: terminal.stderr() };
}

describe("stalewatch", () => {
  it("shows its commands, with and without --help", async () => {
    const bare = await stalewatch();
    expect(bare).toEqual(await stalewatch("--help"));
    expect(bare.code).toBe(0);
    expect(bare.err).toBe("");
    for (const { name, summary } of commands) {
      expect(bare.out).toMatch(new RegExp(`^  ${name} .*${summary.slice(0, 20)}`, "m"));
    }
  });

  it.each(commands.map(({ name }) => name))("%s --help has an example of itself", async (name) => {
    const help = await stalewatch(name, "--help");
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toMatch(new RegExp(`Examples?:\n(.*\n)*  stalewatch ${name}`));
    expect(help).toEqual(await stalewatch("help", name));
    for (const line of help.out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it.each([
    [["verzion"], "stalewatch: verzion is not a command: did you mean version?\n"],
    [["frobnicate"], "stalewatch: frobnicate is not a command: see stalewatch --help\n"],
    [["demo", "40s"], "stalewatch: demo takes flags only, not 40s: see stalewatch demo --help\n"],
    [["version", "--outptu", "json"], "stalewatch: --outptu is not a flag of version: did you mean --output?\n"],
    [["run", "--sync-perid=1m"], "stalewatch: --sync-perid is not a flag of run: did you mean --sync-period?\n"],
    [
      ["run", "--sync-period", "soon"],
      'stalewatch: --sync-period: "soon" is not a duration: write it as "30s", "10m" or "1h30m"\n',
    ],
    [
      ["version", "-o", "xml"],
      "stalewatch: option '-o, --output <FORMAT>' argument 'xml' is invalid. Allowed choices are table, json, yaml: see stalewatch version --help\n",
    ],
  ])("%j is wrong usage, told in one line", async (argv, err) => {
    expect(await stalewatch(...argv)).toEqual({ code: 2, out: "", err });
  });

  it("knows that npm run keeps flags to itself", async () => {
    expect(await stalewatchIn({ npm_lifecycle_event: "demo" }, "demo", "40s")).toEqual({
      code: 2,
      out: "",
      err: "stalewatch: demo takes flags only, not 40s: npm takes flags for its own: put -- before them\n",
    });
  });

  it("shows a stack only to whoever asked for debug logs", async () => {
    const plain = await stalewatch("run", "--sync-period", "soon");
    const debug = await stalewatch("run", "--sync-period", "soon", "--log-level", "debug");
    expect(plain.err.split("\n")).toHaveLength(2);
    expect(debug.err).toContain("\n    at ");
  });
});

describe("stalewatch version", () => {
  it("prints the same facts in three ways", async () => {
    const json = JSON.parse((await stalewatch("version", "-o", "json")).out) as Record<string, string>;
    expect(json).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      node: process.version,
      commit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/) as string,
    });
    expect(parse((await stalewatch("version", "--output=yaml")).out)).toEqual(json);
    const table = (await stalewatch("--version")).out;
    expect(table).toBe(`stalewatch ${json["version"]}, Node ${process.version.slice(1)}, commit ${json["commit"]}\n`);
  });

  it("loads commander and nothing else", async () => {
    const script = `
      import { registerHooks } from "node:module";
      const packages = new Set();
      registerHooks({ resolve(specifier, context, next) {
        const found = next(specifier, context);
        const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url)?.[1];
        if (name) packages.add(name);
        return found;
      } });
      const { main } = await import("./src/cli/main.ts");
      await main(["version"]);
      console.log([...packages].join());`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: new URL("../..", import.meta.url),
    });
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("commander,fastest-levenshtein");
  });
});
