import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Benchmark, compare, type Comparison } from "./benchmark.ts";
import { Child } from "./child.ts";
import type { Answered } from "./clients/jobs-of-dump.ts";
import { DUMPED_JOBS, type DumpFormat, writeDump } from "./load/dump-file.ts";
import { checkFindings } from "./load/runs.ts";

/** Much less than the files have; about 150 MiB of it are the runtime. */
const MOST_RESIDENT_MIB = 512;
/** What the reading may take, by format: the one that Node parses itself, in part, and the one that a library in JavaScript does. */
const MOST_SECONDS: Readonly<Record<DumpFormat, number>> = { json: 20, yaml: 40 };

/** `stalewatch jobs -f` on what kubectl prints of 50 000 Jobs, of which 200 are stuck. */
export const dump: Benchmark = {
  name: "dump",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "stalewatch-bench-"));
    try {
      return [...(await figuresOf("json", folder)), ...(await figuresOf("yaml", folder))];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function figuresOf(format: DumpFormat, folder: string): Promise<readonly Comparison[]> {
  const path = join(folder, `jobs.${format}`);
  await writeDump(path, format, Date.now());
  await using reader = Child.script("clients/jobs-of-dump.ts", path);
  const { objects, findings, progress, seconds, peakBytes } = await reader.next<Answered>();
  if (objects["jobs"] !== DUMPED_JOBS) throw new Error(`${objects["jobs"]} Jobs were read of ${DUMPED_JOBS}`);
  if (progress === 0) throw new Error("no progress was told of");
  checkFindings(findings);
  const megabytes = Math.round(statSync(path).size / 1e6);
  const what = `jobs -f of ${DUMPED_JOBS / 1_000} 000 Jobs, ${megabytes} MB of ${format.toUpperCase()}`;
  const limit = { peer: "limit", goal: 1 };
  return [
    compare({ ...limit, name: what, unit: "s", ours: seconds, peerValue: MOST_SECONDS[format] }),
    compare({
      ...limit,
      name: `${what}: resident`,
      unit: "MiB",
      ours: peakBytes / 2 ** 20,
      peerValue: MOST_RESIDENT_MIB,
    }),
  ];
}
