import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { declareFlags } from "../../src/cli/settings/declare.ts";
import { resolveSettings } from "../../src/cli/settings/resolve.ts";
import { runFlags } from "../../src/cli/settings/run-flags.ts";
import { targetSpecs } from "../../src/cli/settings/target-flags.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stalewatch-targets-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function specs(argv: readonly string[], yaml = "", env: Record<string, string> = {}) {
  const path = join(folder, "config.yaml");
  writeFileSync(path, yaml);
  const command = new Command("run").exitOverride().configureOutput({ writeErr() {} });
  declareFlags(command, runFlags);
  command.parse([...argv, "--config", path], { from: "user" });
  const settings = await resolveSettings(runFlags, { options: command.opts(), env });
  return targetSpecs(settings).map(({ url, ...spec }) => ({ ...spec, url: url.href }));
}

describe("targets", () => {
  it("come from flags, the variable and the file, with /metrics unless they name a path", async () => {
    const argv = [
      "--target",
      "kcm=https://10.0.0.1:10257",
      "--target",
      "mine=http://127.0.0.1:8080/a/metrics?only=b#c",
    ];
    expect((await specs(argv)).map(({ name, url }) => [name, url])).toEqual([
      ["kcm", "https://10.0.0.1:10257/metrics"],
      ["mine", "http://127.0.0.1:8080/a/metrics?only=b"],
    ]);
    const variable = { STALEWATCH_TARGET: "a=http://a:1,b=http://b:2", STALEWATCH_TARGETS: "[]" };
    expect((await specs([], "", variable)).map(({ name }) => name)).toEqual(["a", "b"]);
    expect((await specs([], "target:\n  a: http://a:1\n")).map(({ name }) => name)).toEqual(["a"]);
  });

  it("share the files of the flags, but those of the file each have their own", async () => {
    const argv = ["--target", "kcm=https://10.0.0.1:10257", "--target-token-file=/t", "--target-ca-file=/ca"];
    const yaml = `
targets:
  - { name: scheduler, url: "https://10.0.0.1:10259", cert-file: /c, key-file: /k, scope: unknown }
  - name: mine
    url: http://mine.shop:8080
    insecure-skip-tls-verify: true
    scope: all
`;
    expect(await specs(argv, yaml)).toEqual([
      {
        name: "kcm",
        url: "https://10.0.0.1:10257/metrics",
        tokenFile: "/t",
        caFile: "/ca",
        insecureSkipTlsVerify: false,
      },
      { name: "scheduler", url: "https://10.0.0.1:10259/metrics", certFile: "/c", keyFile: "/k", scope: "unknown" },
      { name: "mine", url: "http://mine.shop:8080/metrics", insecureSkipTlsVerify: true, scope: "all" },
    ]);
  });

  it("may have a token in the clear on this machine alone", async () => {
    const argv = ["--target-token-file=/t", "--target"];
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      expect(await specs([...argv, `a=http://${host}:1`])).toHaveLength(1);
    }
    await expect(specs([...argv, "a=http://10.0.0.1:1"])).rejects.toThrow("in the clear");
  });
});

describe("a target that cannot be one is told in a line that holds no secret", () => {
  it.each([
    [["--target", "http://user:s3cret@h"], '--target: "NAME=URL" is what a target needs'],
    [["--target", "=http://h"], '--target: "NAME=URL" is what a target needs'],
    [["--target", "a b=http://h"], '--target: "a b" is no name for a target'],
    [["--target", "self=http://h"], '--target: "self" is the name of this process'],
    [["--target", "a=s3cret"], '--target: "a" has no http or https URL'],
    [["--target", "a=ftp://h/s3cret"], '--target: "a" has no http or https URL'],
    [["--target", "a=https://user:s3cret@h"], '--target: "a" has credentials in its URL'],
    [["--target", "a=https://s3cret@h"], "--target-token-file"],
    [["--target", "a=http://h", "--target", "a=http://i"], '--target: "a" is the name of two targets'],
    [["--target", "a=http://h", "--target-cert-file=/c"], '"a" has one of certificate and key without the other'],
    [["--target-interval", "0"], "--target-interval must be more than zero"],
  ])("%j", async (argv, words) => {
    const failure = await specs(argv).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: "USAGE", message: expect.stringContaining(words) });
    expect((failure as Error).message).not.toContain("s3cret");
  });

  it.each([
    ["targets: kcm", '"targets" needs a map for each target'],
    ["targets: [null]", '"targets" needs a map for each target'],
    ["targets: [{ url: 'http://h' }]", '"targets": name needs a text'],
    ["targets: [{ name: a, url: 5 }]", '"a": url needs a text'],
    [
      "targets: [{ name: a, url: 'http://h', token_file: /t }]",
      '"a" has the unknown key token_file: did you mean token-file?',
    ],
    ["targets: [{ name: a, url: 'http://h', scope: some }]", '"a": scope must be all or unknown'],
    ["targets: [{ name: a, url: 'https://u:s3cret@h' }]", '"a" has credentials in its URL'],
    ["targets: [{ name: a, url: 'https://h', key-file: /k }]", '"a" has one of certificate and key'],
    ["targets: [{ name: a, url: 'http://h' }, { name: a, url: 'http://h' }]", '"a" is the name of two targets'],
  ])("%s", async (yaml, words) => {
    const failure = await specs([], yaml).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: "USAGE", message: expect.stringContaining(words) });
    expect((failure as Error).message).not.toContain("s3cret");
  });

  it("is no flag where it is a key of the file", async () => {
    await expect(specs(["--targets", "[]"])).rejects.toThrow("unknown option");
  });
});
