import type { Judged, Run } from "./proof.ts";

const HEAD = [
  "late",
  "by (s)",
  "answers",
  "with the truth between the bounds",
  "true lag (s)",
  "bounds apart by at most (s)",
  "`lag_min` short by at most (s)",
  "states",
  "other caches",
  "skips",
];

/** The runs as a Markdown table. */
export function proofTable(runs: readonly Run[]): string {
  const rows = runs.map(({ late, delaySeconds, ofLate, ofOthers, skips }) => [
    late,
    String(delaySeconds),
    `${ofLate.length} and ${ofOthers.length}`,
    contained([...ofLate, ...ofOthers]),
    `${seconds(Math.min(...ofLate.map(({ truth }) => truth.least)))} to ${most(ofLate, ({ truth }) => truth.most)}`,
    most(ofLate, ({ reading }) => (reading.lagMaxSeconds ?? Infinity) - (reading.lagMinSeconds ?? 0)),
    most(ofLate, ({ reading, truth }) => truth.most - (reading.lagMinSeconds ?? 0)),
    states(ofLate),
    states(ofOthers),
    String(skips),
  ]);
  return [HEAD, HEAD.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function contained(judged: readonly Judged[]): string {
  const { length } = judged.filter((it) => it.contained);
  return length === judged.length ? "all" : `${length} of ${judged.length}`;
}

function states(judged: readonly Judged[]): string {
  const counts = Map.groupBy(judged, ({ reading }) => reading.state);
  return [...counts].map(([state, { length }]) => (counts.size === 1 ? state : `${length} ${state}`)).join(", ");
}

function most(judged: readonly Judged[], of: (judged: Judged) => number): string {
  return seconds(Math.max(...judged.map(of)));
}

function seconds(value: number): string {
  return value.toFixed(1);
}
