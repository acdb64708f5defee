import { beforeAll, expect, test } from "vitest";
import { clusterTools, describeReal, eventually, type Json, pause, RealCluster, Sidecar } from "../harness/index.ts";
import { endOf } from "../jobs.ts";
import { grantedToRead } from "../stuck-jobs/answer.ts";
import { lives } from "./lives.ts";
import { JOBS, load, Place } from "./load.ts";

interface Answer {
  readonly objects: Readonly<Record<string, number>>;
  readonly findings: readonly object[];
}

interface Run {
  /** What the API holds at the end. */
  readonly jobs: readonly Json[];
  /** How many Jobs the sidecar has counted at most. */
  readonly seen: number;
  /** What it ever listed. */
  readonly findings: readonly object[];
  /** Lines of its log that tell of something stuck. */
  readonly told: readonly string[];
}

async function watchLoad(seconds: number): Promise<Run> {
  await using cluster = await RealCluster.start();
  const credentials = await cluster.user("stalewatch", grantedToRead());
  await using sidecar = await Sidecar.start({ kubeconfig: cluster.kubeconfig({ credentials }) });
  await eventually("the sidecar is ready", async () => (await sidecar.readyz()).status === 200);
  const place = new Place(cluster, await cluster.namespace("load"));
  const over = new AbortController();
  const findings: object[] = [];
  let seen = 0;
  const look = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const answer = await sidecar.api<Answer>("jobs");
      findings.push(...answer.findings);
      seen = Math.max(seen, answer.objects["jobs"] ?? 0);
      await pause(2_000);
    }
  };
  const looking = look();
  await Promise.all([load(cluster, place, seconds).finally(() => over.abort()), looking]);
  const told = sidecar.log.split("\n").filter((line) => line.includes("is stuck"));
  return { jobs: await place.jobs(), seen, findings, told };
}

/** Jobs come, work, fail, are suspended, wait a while for what they need, and go, for so long; and nothing is found. */
export function healthyLoad(seconds: number): void {
  describeReal(`${JOBS} healthy Jobs for ${seconds} s`, clusterTools, () => {
    let run: Run;
    beforeAll(
      async () => {
        run = await watchLoad(seconds);
      },
      (seconds + 120) * 1_000,
    );

    test("nothing was found at any time", () => {
      expect(run.told).toEqual([]);
      expect(run.findings).toEqual([]);
    });

    test("the sidecar saw them all", () => {
      expect(run.seen).toBeGreaterThanOrEqual(JOBS * 0.9); // those that go early have gone
    });

    test.each(lives)("$name: what became of it is $end", ({ name, end }) => {
      const jobs = run.jobs.filter(({ metadata }) => metadata.labels?.["life"] === name);
      if (end === "gone") return expect(jobs).toEqual([]);
      expect(jobs.length).toBeGreaterThan(JOBS / lives.length - 1);
      expect(new Set(jobs.map(outcome))).toEqual(new Set([end]));
    });

    test("the CronJobs fired each minute", () => {
      const runs = run.jobs.filter(({ metadata }) => /^(allow|forbid)-\d+$/.test(metadata.name));
      expect(runs.length).toBeGreaterThanOrEqual(6); // as many as their histories keep
    });
  });
}

function outcome(job: Json): string {
  const end = endOf(job);
  const { conditions = [] } = job["status"] as { conditions?: { type: string; reason: string }[] };
  return end === undefined ? "" : `${end} ${conditions.find(({ type }) => type === end)?.reason}`;
}
