import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/index.ts";
import { folderOf, jsonList, wireJob, wirePod } from "../dump/files.ts";
import { CREATED } from "../jobs/objects.ts";
import { memoryTerminal } from "./memory-terminal.ts";

const job = wireJob("export-1");
const LIST = JSON.parse(jsonList([job, wirePod("export-1-x", job, "ImagePullBackOff")])) as object;
const LINES = [
  { at: CREATED, type: "LISTED", object: LIST },
  { at: "2026-01-02T03:20:05.000Z", type: "END" },
].map((line) => JSON.stringify(line));

async function replay(lines: readonly string[], ...argv: string[]) {
  const terminal = memoryTerminal();
  const path = join(folderOf({ "r.ndjson": lines.join("\n") }), "r.ndjson");
  const code = await main(["replay", path, ...argv], { terminal });
  return { code, out: terminal.stdout(), err: terminal.stderr() };
}

describe("stalewatch replay", () => {
  it("prints what became stuck, and when", async () => {
    const { code, out, err } = await replay(LINES);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(`NAMESPACE  OBJECT        CHANGE  AT                        SEVERITY  KIND  REASON
shop       Job/export-1  raised  2026-01-02T03:14:05.000Z  warning   S13   ImagePullBackOff

1 changes; 1 findings at the end.
`);
  });

  it("prints it as JSON", async () => {
    const finding = { kind: "S13", severity: "warning", since: CREATED };
    expect(JSON.parse((await replay(LINES, "-o", "json")).out)).toMatchObject({
      transitions: [{ at: "2026-01-02T03:14:05.000Z", change: "raised", finding: { ...finding, ageSeconds: 600 } }],
      final: [{ ...finding, ageSeconds: 960 }],
    });
  });

  it("takes steps, an end and limits", async () => {
    expect((await replay(LINES, "--step", "7m")).out).toContain("2026-01-02T03:18:05.000Z");
    expect((await replay(LINES, "--until", "2026-01-02T03:10:00Z")).out).toBe("0 changes; 0 findings at the end.\n");
    const limits = join(folderOf({ "l.yaml": "- {kind: S13, warning: 5m}" }), "l.yaml");
    expect((await replay(LINES, "--limits", limits)).out).toContain("2026-01-02T03:09:05.000Z");
  });

  it("prints what came before a line that cannot be read, and fails", async () => {
    const { code, out, err } = await replay(["", ...LINES.slice(0, 1), "{", ...LINES.slice(1)], "-o", "json");
    expect(code).toBe(1);
    expect(err).toMatch(/^stalewatch: .*r\.ndjson line 3 cannot be read: .*\n$/);
    expect(JSON.parse(out)).toMatchObject({ transitions: [], final: [] });
  });

  it("wants a file", async () => {
    const terminal = memoryTerminal();
    expect(await main(["replay"], { terminal })).toBe(2);
    expect(await main(["replay", "/no/such"], { terminal })).toBe(1);
    expect(terminal.stderr()).toContain("stalewatch: /no/such cannot be read: ");
  });
});
