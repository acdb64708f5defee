import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clusterTools, describeReal, eventually, Sidecar } from "./harness/index.ts";
import { type Answer, dumpOf, type Finding, grantedToRead, jobsInFile, linesOf } from "./stuck-jobs/answer.ts";
import { scenarios, Stage } from "./stuck-jobs/stage.ts";

const KINDS = [...new Set(scenarios.map(({ kind }) => kind))];

/** Old enough for what passes by itself to have passed. */
const LIMITS = KINDS.map((kind) => `- {kind: ${kind}, ${kind === "S07" ? "info" : "warning"}: 5s}`);

/** Kinds that the API keeps no time of. */
const OBSERVED = ["S24", "S40"];

/** Default ages, as of some time after all was found. Events tell of refusals for a quarter of an hour. */
const AGES = [
  { after: "12m", ms: 12 * 60_000, young: ["S07", "S11", "S12", "S15", "S17"] },
  { after: "1h", ms: 60 * 60_000, young: ["S07"] },
  { after: "25h", ms: 25 * 60 * 60_000, young: [] },
];

describeReal("what is stuck on a real cluster", [...clusterTools, "kubectl"], () => {
  let folder: string;
  let limits: string;
  let kubeconfig: string;
  let stage: Stage;
  let sidecar: Sidecar;
  let live: Answer;
  let dump: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stalewatch-stuck-"));
    limits = written("limits.yaml", LIMITS.join("\n"));
    stage = await Stage.make(async (cluster) => {
      const credentials = await cluster.user("stalewatch", grantedToRead());
      kubeconfig = cluster.kubeconfig({ credentials });
      sidecar = await startSidecar();
    });
    live = await settled();
    dump = written("dump.yaml", await dumpOf(stage.cluster));
  }, 240_000);
  afterAll(async () => {
    await sidecar?.[Symbol.asyncDispose]();
    await stage?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function startSidecar(): Promise<Sidecar> {
    return Sidecar.start({ kubeconfig, args: [`--limits=${limits}`] });
  }

  function written(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** As many findings as there are scenarios; what it says instead, when that takes too long. */
  async function settled(): Promise<Answer> {
    let answer: Answer | undefined;
    const look = async (): Promise<boolean> => {
      answer = await sidecar.api<Answer>("jobs?all");
      const stuck = answer.findings.filter(({ state }) => state === "stuck");
      return stuck.length === scenarios.length && stuck.length === answer.findings.length;
    };
    await eventually("all is found", look, { timeoutMs: 60_000, everyMs: 500 }).catch(() => undefined);
    return answer as Answer;
  }

  test.each(scenarios)("$name: $kind $reason", async (scenario) => {
    const [finding, ...others] = live.findings.filter(({ object }) => object.namespace === scenario.name);
    const { object = "Job/job" } = scenario;
    expect(finding).toMatchObject({ kind: scenario.kind, reason: scenario.reason, state: "stuck" });
    expect(others).toEqual([]);
    const found = finding as Finding;
    const name = `${found.object.kind}/${found.object.name}`;
    expect(object.endsWith("-") ? name.slice(0, object.length) : name).toBe(object);
    expect(`${found.owner.kind}/${found.owner.name}`).toBe(scenario.owner ?? name);
    const since = await scenario.since(stage.placeOf(scenario));
    if (since === undefined) return expect(found.sinceSource).toBe("observed");
    expect(found.sinceSource).not.toBe("observed");
    expect(Math.abs(Date.parse(found.since) - Date.parse(since))).toBeLessThanOrEqual(1_000);
  });

  test("at least 18 kinds were brought about, the log tells of them, and nothing else is found", () => {
    expect(sidecar.log).toContain("a Job is stuck");
    expect(new Set(live.findings.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(18);
    const names = new Set(scenarios.map(({ name }) => name));
    expect(live.findings.filter(({ object }) => !names.has(object.namespace))).toEqual([]);
  });

  test("a dump with nodes says the same, word for word", async () => {
    const file = written("nodes.yaml", await dumpOf(stage.cluster, "nodes"));
    const found = await jobsInFile(file, `--limits=${limits}`, `--at=${live.at}`);
    expect(linesOf(found)).toEqual(linesOf(live));
  });

  test("a dump without them says the same, but nothing of nodes", async () => {
    const found = await jobsInFile(dump, `--limits=${limits}`, `--at=${live.at}`);
    const ofNodes = /; node \S+ (?:is Ready|has Ready=\S+)/;
    const unknowing = linesOf(live).map((line) =>
      line.replace("NodeLost", "TerminatingPastGrace").replace(ofNodes, ""),
    );
    expect(linesOf(found)).toEqual(unknowing);
  });

  test.each(AGES)(
    "by the default ages $after later, only $young and what is observed is not stuck",
    async ({ ms, young }) => {
      const at = new Date(Date.parse(live.at) + ms).toISOString();
      const { findings } = await jobsInFile(dump, `--at=${at}`);
      const watching = findings.filter(({ state }) => state === "watching");
      const kinds = new Set(watching.filter(({ sinceSource }) => sinceSource !== "observed").map(({ kind }) => kind));
      expect([...kinds].toSorted()).toEqual(young);
      expect(new Set(findings.map(({ object }) => object.namespace))).toEqual(
        new Set(scenarios.map(({ name }) => name)),
      );
    },
  );

  test("a restart changes no time but those of what is observed, and raises no alert", async () => {
    const before = seriesOf(await sidecar.metrics());
    await sidecar[Symbol.asyncDispose]();
    sidecar = await startSidecar();
    const again = await settled();
    expect(linesOf(again)).toEqual(linesOf(live));
    expect(seriesOf(await sidecar.metrics())).toEqual(before);
  });
});

/** What alerts rest on, without what is only known since it is watched. */
function seriesOf(page: string): string[] {
  const lines = page.split("\n").filter((line) => line.startsWith("stalewatch_stuck_since_timestamp_seconds{"));
  return lines.filter((line) => !OBSERVED.some((kind) => line.includes(`kind="${kind}"`))).toSorted();
}
