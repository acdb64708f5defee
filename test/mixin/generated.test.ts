import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it("what is generated is what the sources say", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["scripts/generate.ts", "--check"], { encoding: "utf8" });
  expect(`${stdout}${stderr}`).toBe("");
});
