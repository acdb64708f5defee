import type { Judged, Run } from "./proof.ts";

const HEAD = [
  "late",
  "by (s)",
  "readings",
  "true lag (s)",
  "between the bounds",
  "bounds at most apart (s)",
  "`lag_min` below it by at most (s)",
  "states",
  "skips",
  "other caches' readings",
  "between the bounds",
  "states",
];

/** The runs as a Markdown table. */
export function proofTable(runs: readonly Run[]): string {
  const rows = runs.map(({ late, delaySeconds, ofLate, ofOthers, skips }) => [
    late,
    String(delaySeconds),
    String(ofLate.length),
    `${seconds(Math.min(...ofLate.map(({ truth }) => truth.least)))} to ${seconds(most(ofLate, ({ truth }) => truth.most))}`,
    contained(ofLate),
    seconds(most(ofLate, ({ reading }) => (reading.lagMaxSeconds ?? Infinity) - (reading.lagMinSeconds ?? 0))),
    seconds(most(ofLate, ({ reading, truth }) => truth.most - (reading.lagMinSeconds ?? 0))),
    states(ofLate),
    String(skips),
    String(ofOthers.length),
    contained(ofOthers),
    states(ofOthers),
  ]);
  return [HEAD, HEAD.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function contained(judged: readonly Judged[]): string {
  const share = judged.filter((it) => it.contained).length / judged.length;
  return share === 1 ? "all" : `${(share * 100).toFixed(2)} %`;
}

function states(judged: readonly Judged[]): string {
  const counts = Map.groupBy(judged, ({ reading }) => reading.state);
  return [...counts].map(([state, { length }]) => (counts.size === 1 ? state : `${length} ${state}`)).join(", ");
}

function most(judged: readonly Judged[], of: (judged: Judged) => number): number {
  return Math.max(...judged.map(of));
}

function seconds(value: number): string {
  return value.toFixed(1);
}
