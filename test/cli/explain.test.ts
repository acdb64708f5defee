import { describe, expect, it } from "vitest";
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
      expect(await explain(name)).toEqual({ code: 0, out: read(`docs/runbooks/${name}.md`), err: "" });
    }
  });

  it("lists all of them", async () => {
    const { out } = await explain();
    expect(out).toContain("S13  image-cannot-be-pulled\n");
    expect(out).toContain("StalewatchJobStuck\n");
  });

  it.each([
    ["StalewatchJobStuk", "did you mean StalewatchJobStuck?"],
    ["image-cannot-be-puled", "did you mean image-cannot-be-pulled?"],
    ["something else", "stalewatch explain lists all of them"],
  ])("knows what was probably meant by %s", async (name, remedy) => {
    const err = `stalewatch: ${name} is neither a stuck kind nor an alert: ${remedy}\n`;
    expect(await explain(name)).toEqual({ code: 2, out: "", err });
  });
});
