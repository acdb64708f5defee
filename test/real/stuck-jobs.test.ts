import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clusterTools, describeReal, eventually, Sidecar } from "./harness/index.ts";
import { type Answer, dumpOf, type Finding, grantedToRead, jobsInFile, linesOf } from "./stuck-jobs/answer.ts";
import { scenarios, Stage } from "./stuck-jobs/stage.ts";

/** Old enough for what passes by itself to have passed. */
const LIMITS = [...new Set(scenarios.map(({ kind }) => kind))].map(
  (kind) => `- {kind: ${kind}, info: 5s, warning: ${kind === "S07" ? "never" : "5s"}}`,
);

describeReal("what is stuck on a real cluster", [...clusterTools, "kubectl"], () => {
  let folder: string;
  let stage: Stage;
  let sidecar: Sidecar;
  let live: Answer;
  let dump: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stalewatch-stuck-"));
    writeFileSync(join(folder, "limits.yaml"), LIMITS.join("\n"));
    stage = await Stage.make(async (cluster) => {
      const credentials = await cluster.user("stalewatch", grantedToRead());
      kubeconfig = cluster.kubeconfig({ credentials });
      sidecar = await startSidecar();
    });
    live = await settled();
    dump = join(folder, "dump.yaml");
    writeFileSync(dump, await dumpOf(stage.cluster));
  }, 240_000);
  afterAll(async () => {
    await sidecar?.[Symbol.asyncDispose]();
    await stage?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  let kubeconfig: string;
  function startSidecar(): Promise<Sidecar> {
    return Sidecar.start({ kubeconfig, args: [`--limits=${limits()}`] });
  }

  function limits(): string {
    return join(folder, "limits.yaml");
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

  test("at least 18 kinds were brought about, and nothing else is found", () => {
    expect(new Set(live.findings.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(18);
    const names = new Set(scenarios.map(({ name }) => name));
    expect(live.findings.filter(({ object }) => !names.has(object.namespace))).toEqual([]);
  });

  test("a dump says the same, but that no node is known in it", async () => {
    const found = await jobsInFile(dump, `--limits=${limits()}`, `--at=${live.at}`);
    const withoutNodes = linesOf(live).map((line) => line.replace("NodeLost", "TerminatingPastGrace"));
    expect(linesOf(found)).toEqual(withoutNodes);
  });
});
