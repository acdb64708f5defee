import type { ObjectDraft } from "../../src/testing/index.ts";
import { type CronJobRef, jobOfTwoPointSevenKilobytes } from "../jobs.ts";
import { type Fate, fatesAt } from "./fates.ts";
import { podOf } from "./pods.ts";

export const CRONJOBS = 10_010;
/** Of each CronJob: one that is under way, and four in its history. */
const RUNS = 5;
export const JOBS: number = CRONJOBS * RUNS;
/** Of the runs under way. */
export const STUCK = 200;

const HOUR_MS = 3_600_000;
/** Long enough for every kind that the loads have to count. */
const STUCK_MS = 40 * 24 * HOUR_MS;

export interface Run {
  readonly job: ObjectDraft;
  /** Once it is known which uid the Job has got. */
  pods(uid: string): readonly ObjectDraft[];
}

/**
 * The runs of a cluster at one moment, wall time in milliseconds; the first ones of all CronJobs are those under way. The index tells the
 * fate; the number in the name is the index unless given.
 */
export function runsAt(now: number): (index: number, owner: CronJobRef, number?: number) => Run {
  const time = (ms: number): string => `${new Date(now - ms).toISOString().slice(0, 19)}Z`;
  const { running } = fatesAt({ began: time(HOUR_MS), ended: time(HOUR_MS) });
  const { finished } = fatesAt({ began: time(3 * HOUR_MS), ended: time(2 * HOUR_MS) });
  const { stuck } = fatesAt({ began: time(STUCK_MS), ended: time(STUCK_MS - HOUR_MS) });
  const stuckFates = Object.values(stuck);
  const fateOf = (index: number): Fate => {
    if (index < STUCK) return stuckFates[index % stuckFates.length] as Fate;
    return index < CRONJOBS ? running : finished;
  };
  return (index, owner, number = index) => {
    const { spec, status, pods } = fateOf(index);
    const counts = { parallelism: 2, completions: 2, suspend: false };
    const job = jobOfTwoPointSevenKilobytes(number, owner, { spec: { ...counts, ...spec }, status });
    const { name = "" } = job.metadata;
    return {
      job,
      pods: (uid) => (pods ? [podOf(name, 0, uid, pods), podOf(name, 1, uid, pods)] : []),
    };
  };
}

/** Throws an Error unless these findings are those of the stuck runs: as many of each kind. */
export function checkFindings(findings: readonly { readonly kind: string; readonly state: string }[]): void {
  const found = Map.groupBy(findings, ({ kind, state }) => `${kind} ${state}`);
  const kinds = Object.keys(fatesAt({ began: "", ended: "" }).stuck);
  const wrong = kinds.some((kind) => found.get(`${kind} stuck`)?.length !== STUCK / kinds.length);
  if (!wrong && found.size === kinds.length) return;
  const counts = [...found].map(([kind, { length }]) => `${length} ${kind}`);
  throw new Error(`other findings than ${STUCK} of ${kinds.join(", ")}: ${counts.join(", ")}`);
}
