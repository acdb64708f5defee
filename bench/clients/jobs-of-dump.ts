// `stalewatch jobs -f FILE` on a terminal. Argument: the file. Prints one line: the findings, and what it took.
import { main, type Terminal } from "../../src/cli/index.ts";
import type { Finding } from "../../src/jobs/index.ts";

export interface Answered {
  readonly objects: Readonly<Record<string, number>>;
  readonly findings: readonly Pick<Finding, "kind" | "state">[];
  /** How often the line of progress was written. */
  readonly progress: number;
  readonly seconds: number;
  /** The most that was ever resident. */
  readonly peakBytes: number;
}

let answer = "";
let progress = 0;
const terminal: Terminal = {
  out: (text) => {
    answer += text;
  },
  err: (text) => {
    if (text.includes("reading ")) progress += 1;
  },
  stdin: process.stdin,
  env: {},
  colour: false,
  interactive: true,
  columns: 100,
};

const start = performance.now();
const code = await main(["jobs", "-f", process.argv[2] ?? "", "-o", "json"], { terminal });
if (code !== 0) throw new Error(`stalewatch jobs ended with ${code}`);
const seconds = (performance.now() - start) / 1_000;
const peakBytes = process.resourceUsage().maxRSS * 1_024;
const { objects, findings } = JSON.parse(answer) as Pick<Answered, "objects" | "findings">;
process.stdout.write(`${JSON.stringify({ objects, findings, progress, seconds, peakBytes } satisfies Answered)}\n`);
