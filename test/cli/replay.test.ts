import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/index.ts";
import { doneJob, folderOf, jsonList, wireJob, wirePod } from "../dump/files.ts";
import { after, end, event } from "../dump/recordings.ts";
import { CREATED } from "../jobs/objects.ts";
import { memoryTerminal } from "./memory-terminal.ts";

const job = wireJob("export-1");
const LIST = JSON.parse(jsonList([job, wirePod("export-1-x", job, "ImagePullBackOff")])) as object;
const LINES = [
  { at: CREATED, type: "LISTED", object: LIST },
  { at: "2026-01-02T03:20:05.000Z", type: "END" },
].map((line) => JSON.stringify(line));

/** A Job was created 1 minute in, and after 3 minutes the cache of a target was at this version. */
function withTarget(value: number): readonly string[] {
  const list = { apiVersion: "batch/v1", kind: "JobList", metadata: { resourceVersion: "100" }, items: [] };
  const created = { ...doneJob("a"), metadata: { ...job.metadata, resourceVersion: "110" } };
  const labels = { name: "kube-controller-manager", group: "batch", version: "v1", resource: "jobs" };
  const samples = [{ name: "informer_store_resource_version", labels, value }];
  return [
    { at: after(0), sentAt: after(0), type: "LISTED", object: list },
    event(1, "ADDED", created),
    { at: after(3), sentAt: after(3), type: "TARGET", target: "kcm", samples },
    end(4),
  ].map((line) => JSON.stringify(line));
}

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
    expect(out).toBe(`NAMESPACE  OBJECT        CHANGE  AT                    SEVERITY  KIND  REASON
shop       Job/export-1  raised  2026-01-02T03:14:05Z  warning   S13   ImagePullBackOff

NAMESPACE  OBJECT        OWNER   STATE    KIND  REASON            AGE
shop       Job/export-1  <none>  warning  S13   ImagePullBackOff  16m
  Image "registry.example/export:v9" of container main in Pod shop/export-1-x cannot be pulled; a
  pod that has not started never counts against backoffLimit and there is no
  activeDeadlineSeconds, so the Job will not fail by itself
  $ kubectl -n shop describe pod export-1-x

1 change; at the end 1 warning.
`);
  });

  it("prints how late the caches of targets were", async () => {
    const { out } = await replay(withTarget(100));
    expect(out).toBe(`0 changes; at the end nothing is stuck.

Caches when they were last seen:
TARGET  NAME                     RESOURCE    STATE    LAG    BEHIND  CONFIRMED
kcm     kube-controller-manager  jobs.batch  lagging  2m-3m  1       3m ago, list

1 lagging; 1 cache looked at.
`);
    expect((await replay(withTarget(110))).out).toContain("  unknown  0s-3m  0       3m ago, list\n");
  });

  it("keeps a change on one line whatever the names are", async () => {
    const name = `a-${"very-".repeat(11)}long-name`;
    const named = wireJob(name, { metadata: { ...job.metadata, name, namespace: "n".repeat(63) } });
    const pods = jsonList([named, wirePod("p", named, "ImagePullBackOff")]);
    const { out } = await replay([
      JSON.stringify({ at: CREATED, type: "LISTED", object: JSON.parse(pods) }),
      ...LINES.slice(1),
    ]);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(out).toContain(" raised  2026-01-02T03:14:05Z  warning   S13   ImagePullBackOff\n");
  });

  it("prints it as JSON", async () => {
    const finding = { kind: "S13", severity: "warning", since: CREATED };
    expect(JSON.parse((await replay(LINES, "-o", "json")).out)).toMatchObject({
      transitions: [{ at: "2026-01-02T03:14:05.000Z", change: "raised", finding: { ...finding, ageSeconds: 600 } }],
      final: [{ ...finding, ageSeconds: 960 }],
    });
  });

  it("takes steps, an end and limits", async () => {
    expect((await replay(LINES, "--step", "7m")).out).toContain("2026-01-02T03:18:05Z");
    const { out } = await replay(LINES, "--until", "2026-01-02T03:10:00Z");
    expect(out).toBe("0 changes; at the end nothing is stuck.\n");
    const limits = join(folderOf({ "l.yaml": "- {kind: S13, warning: 5m}" }), "l.yaml");
    expect((await replay(LINES, "--limits", limits)).out).toContain("2026-01-02T03:09:05Z");
  });

  it("prints what came before a line that cannot be read, and fails", async () => {
    const { code, out, err } = await replay(["", ...LINES.slice(0, 1), "{", ...LINES.slice(1)], "-o", "json");
    expect(code).toBe(1);
    expect(err).toMatch(/^stalewatch: .*r\.ndjson line 3 cannot be read: .*\n$/);
    expect(JSON.parse(out)).toMatchObject({ transitions: [], final: [] });
  });

  it("says that --until lies before the recording", async () => {
    const { code, out, err } = await replay(LINES, "--until", "2026-01-02T03:00:00Z");
    expect({ code, out }).toEqual({ code: 0, out: "0 changes; at the end nothing is stuck.\n" });
    expect(err).toMatch(/^stalewatch: .*r\.ndjson begins at 2026-01-02T03:04:05\.000Z, after --until\n$/);
    expect((await replay(LINES, "--until", CREATED)).err).toBe("");
  });

  it.each([
    ["YAML of objects", "apiVersion: v1\n", /line 1 cannot be read: .*: stalewatch jobs -f reads files of objects\n$/],
    ["JSON of objects", jsonList([job]), /line 1 cannot be read: .*: stalewatch jobs -f reads files of objects\n$/],
    ["no lines", "", /r\.ndjson is empty\n$/],
    [
      "a first line that cannot be used",
      JSON.stringify({ at: CREATED, type: "ADDED", object: {} }),
      /line 1 cannot be used: [^:]*\n$/,
    ],
  ])("prints nothing for a file of %s", async (_, text, told) => {
    const { code, out, err } = await replay([text]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(told);
  });

  it("wants a file", async () => {
    const terminal = memoryTerminal();
    expect(await main(["replay"], { terminal })).toBe(2);
    expect(await main(["replay", "/no/such"], { terminal })).toBe(1);
    expect(terminal.stderr()).toMatch(/^stalewatch: \/no\/such cannot be read: ENOENT: no such file or directory$/m);
    expect(await main(["replay", folderOf({})], { terminal })).toBe(1);
    expect(terminal.stderr()).toMatch(/: EISDIR: [^:,]*: stalewatch jobs -f reads files of objects\n$/);
    expect(terminal.stdout()).toBe("");
  });
});
