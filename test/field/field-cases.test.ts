import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kindsInFiles, replayRecording } from "../../src/dump/index.ts";
import { groupsOf } from "../../src/jobs/index.ts";
import { fieldCases } from "./field-cases.ts";
import { outcomeOf } from "./outcome.ts";
import { msAt } from "./time.ts";
import { untoldCases } from "./untold-cases.ts";

describe("a report, replayed", () => {
  it.each(fieldCases.map((told) => [told.id, told.symptom, told] as const))("%s: %s", async (_id, _symptom, told) => {
    const { wrong, wrongAfterRestart, falseAlarms } = await outcomeOf(told);
    expect(wrong).toEqual([]);
    expect(wrongAfterRestart).toEqual([]);
    expect(falseAlarms).toEqual([]);
  });

  it.each([
    ["A04", 5, "webhook mpod.operator.example.com"],
    ["A45", 12, "node worker-7"],
  ])("%s is one group of %i with its cause", async (id, members, cause) => {
    const path = join(import.meta.dirname, "recordings", `${id}.ndjson`);
    const options = { kinds: kindsInFiles(), stepMs: 10_000, until: msAt(15 * 60), rules: [] };
    const { answer } = await replayRecording(path, options);
    expect(groupsOf(answer.final)).toMatchObject([{ cause, members }]);
  });
});

describe("a verdict that is wrong", () => {
  const told = fieldCases.find(({ id }) => id === "A11");
  if (!told) throw new Error("A11 is not told");
  const [, verdict] = told.verdicts;
  const [finding] = verdict?.findings ?? [];
  if (!verdict || !finding) throw new Error("A11 expects nothing");

  it.each([
    ["kind", { kind: "S13" }],
    ["object", { object: "Job/import-2" }],
    ["owner", { owner: "CronJob/import" }],
    ["severity", { severity: "critical" as const }],
    ["time, by two seconds", { since: finding.since + 2 }],
    ["source of the time", { observed: true as const }],
  ])("in its %s is noticed", async (_what, other) => {
    const verdicts = [{ ...verdict, findings: [{ ...finding, ...other }] }];
    const { wrong } = await outcomeOf({ ...told, verdicts });
    expect(wrong).toHaveLength(2);
  });

  it("about the healthy look-alike is noticed", async () => {
    const { falseAlarms } = await outcomeOf({ ...told, tell: (tape) => told.tell(tape, false) });
    expect(falseAlarms).not.toEqual([]);
  });
});

describe("the list of reports", () => {
  it("has each once", () => {
    const ids = [...fieldCases, ...untoldCases].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(untoldCases.map(({ id, shownBy, why }) => [id, shownBy, why] as const))(
    "%s is shown by a test that there is, or says why nothing shows it",
    (_id, shownBy, why) => {
      if (shownBy) expect(readFileSync(shownBy[0], "utf8")).toContain(shownBy[1]);
      else expect(why).toBeTruthy();
    },
  );
});
