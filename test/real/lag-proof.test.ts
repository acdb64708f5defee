import { beforeAll, expect, test } from "vitest";
import { clusterTools, describeReal } from "./harness/index.ts";
import { type Judged, prove, type Run } from "./lag-proof/proof.ts";
import { proofTable } from "./lag-proof/proof-table.ts";

const LATE = ["jobs", "pods"] as const;
/** Each long enough to become as late, and then some. */
const RUNS = [
  { delaySeconds: 0, forSeconds: 12 },
  { delaySeconds: 3, forSeconds: 15 },
  { delaySeconds: 10, forSeconds: 25 },
  { delaySeconds: 40, forSeconds: 65 },
];
/** The default of --lag-budget. */
const BUDGET_SECONDS = 30;

describeReal("a kube-controller-manager of which one kind is late", clusterTools, () => {
  let runs: readonly Run[];

  beforeAll(async () => {
    runs = (await Promise.all(LATE.map((late) => prove({ late, runs: RUNS })))).flat();
    console.log(proofTable(runs));
  }, 300_000);

  const cases = LATE.flatMap((late) => RUNS.map(({ delaySeconds }) => ({ late, delaySeconds })));
  const runOf = (wanted: (typeof cases)[number]): Run => {
    const run = runs.find(({ late, delaySeconds }) => late === wanted.late && delaySeconds === wanted.delaySeconds);
    return run as Run;
  };

  test.each(cases)("$late, $delaySeconds s: the truth is between the bounds of every answer", (wanted) => {
    const { ofLate, ofOthers, forSeconds } = runOf(wanted);
    expect(ofLate.length).toBeGreaterThan(forSeconds * 0.7);
    expect(new Set(ofOthers.map(({ reading }) => nameOf(reading))).size).toBeGreaterThan(50);
    expect([...ofLate, ...ofOthers].filter(({ contained }) => !contained).map(told)).toEqual([]);
  });

  test.each(cases)("$late, $delaySeconds s: it was as late as that", (wanted) => {
    const latest = Math.max(...runOf(wanted).ofLate.map(({ truth }) => truth.least));
    expect(latest).toBeGreaterThan(wanted.delaySeconds - 1);
  });

  test.each(cases)("$late, $delaySeconds s: lagging beyond the budget, fresh below", (wanted) => {
    const { ofLate } = runOf(wanted);
    if (wanted.delaySeconds > BUDGET_SECONDS) expect(ofLate.at(-1)?.reading.state).toBe("lagging");
    else expect(ofLate.filter(({ reading }) => reading.state !== "fresh").map(told)).toEqual([]);
  });

  test.each(cases)("$late, $delaySeconds s: the other kinds stay fresh", (wanted) => {
    const { ofOthers } = runOf(wanted);
    expect(ofOthers.filter(({ reading }) => reading.state !== "fresh").map(told)).toEqual([]);
  });

  test.each(cases)("$late, $delaySeconds s: the Job controller skips passes for it", (wanted) => {
    const { skips } = runOf(wanted);
    if (wanted.delaySeconds > 0) expect(skips).toBeGreaterThan(0);
    else expect(skips).toBeLessThan(5);
  });
});

function nameOf({ group, version, resource }: Judged["reading"]): string {
  return `${group}/${version}/${resource}`;
}

function told({ reading, truth }: Judged): object {
  const { state, why, storeResourceVersion, lagMinSeconds, lagMaxSeconds, observedAt } = reading;
  const kind = nameOf(reading);
  return { kind, state, why, storeResourceVersion, lagMinSeconds, lagMaxSeconds, observedAt, truth };
}
