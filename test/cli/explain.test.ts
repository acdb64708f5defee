import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "../../src/cli/index.ts";
import { stuckKinds } from "../../src/jobs/index.ts";
import { ruleGroups } from "../../src/mixin/index.ts";
import { read } from "../docs/markdown.ts";
import { memoryTerminal } from "./memory-terminal.ts";

async function explain(...argv: string[]) {
  const terminal = memoryTerminal();
  const code = await main(["explain", ...argv], { terminal });
  return { code, out: terminal.stdout(), err: terminal.stderr() };
}

describe("stalewatch explain", () => {
  it("prints the page of each kind, by id and by name, as it is in the docs", async () => {
    for (const { id, name } of stuckKinds) {
      const page = await explain(id.toLowerCase());
      expect(page).toEqual({ code: 0, out: expect.stringMatching(`^## ${id} ${name}\n`) as string, err: "" });
      expect(page).toEqual(await explain(name));
    }
    expect(read("docs/stuck-jobs.md")).toContain((await explain("S13")).out);
  });

  it("prints the runbook of each alert", async () => {
    for (const { name } of ruleGroups.flatMap(({ rules }) => rules)) {
      const { code, out, err } = await explain(name);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      // What it links to is somewhere else for whoever reads it here.
      const docs = "https://github.com/stalewatch/stalewatch/blob/main/docs/";
      const local = out.replaceAll(`](${docs}runbooks/`, "](").replaceAll(`](${docs}`, "](../");
      expect(local).toBe(read(`docs/runbooks/${name}.md`));
      expect(out).not.toMatch(/\]\((?!https:)/);
    }
  });

  it("prints each of them as data", async () => {
    const valueOf = async (...argv: string[]): Promise<unknown> =>
      JSON.parse((await explain(...argv, "-o", "json")).out);
    const s13 = await valueOf("S13");
    expect(s13).toMatchObject({
      id: "S13",
      name: "image-cannot-be-pulled",
      ageSeconds: { info: null, warning: 600, critical: 1_800 },
      reasons: expect.arrayContaining(["ImagePullBackOff"]) as string[],
    });
    expect(parse((await explain("S13", "-o", "yaml")).out)).toEqual(s13);
    const { out: runbook } = await explain("StalewatchJobStuck");
    expect(await valueOf("StalewatchJobStuck")).toMatchObject({
      alert: "StalewatchJobStuck",
      rules: ruleGroups.flatMap(({ rules }) => rules.filter(({ name }) => name === "StalewatchJobStuck")),
      runbook,
    });
    expect(await valueOf()).toMatchObject({
      kinds: expect.arrayContaining([{ id: "S13", name: "image-cannot-be-pulled" }]) as object[],
      alerts: expect.arrayContaining(["StalewatchJobStuck"]) as string[],
    });
  });

  it("lists all of them", async () => {
    const { out } = await explain();
    expect(out).toContain("S13  image-cannot-be-pulled\n");
    expect(out).toContain("StalewatchJobStuck\n");
  });

  it.each([
    ["StalewatchJobStuk", "did you mean StalewatchJobStuck?"],
    ["image-cannot-be-puled", "did you mean image-cannot-be-pulled?"],
    ["pull", "did you mean image-cannot-be-pulled?"],
    ["cachel", "did you mean StalewatchCacheLagging?"],
    ["stalewatch", "stalewatch explain lists all of them"],
    ["something else", "stalewatch explain lists all of them"],
  ])("knows what was probably meant by %s", async (name, remedy) => {
    const err = `stalewatch: ${name} is neither a stuck kind nor an alert: ${remedy}\n`;
    expect(await explain(name)).toEqual({ code: 2, out: "", err });
  });
});
