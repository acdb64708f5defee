import { spawn } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { jobOfTwoPointSevenKilobytes } from "../../bench/jobs.ts";
import { CREATED } from "../jobs/objects.ts";

const JOBS = 50_000;
/** Megabytes of heap: less than what is read by far, and about three times what is kept of it. */
const HEAP = 128;

function jobAt(index: number): object {
  const { metadata, ...rest } = jobOfTwoPointSevenKilobytes(index, {
    name: `cron-${index % 500}`,
    uid: `cron-${index % 500}`,
  });
  const served = { uid: `uid-${index}`, resourceVersion: String(index + 1), creationTimestamp: CREATED };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { ...metadata, ...served }, ...rest };
}

/** As kubectl prints it: about 220 MB. */
function* json(): Generator<string, void, void> {
  yield '{\n    "apiVersion": "v1",\n    "items": [\n        ';
  for (let index = 0; index < JOBS; index += 1) {
    yield `${index === 0 ? "" : ",\n        "}${JSON.stringify(jobAt(index), null, 4).replaceAll("\n", "\n        ")}`;
  }
  yield '\n    ],\n    "kind": "List"\n}\n';
}

/** As kubectl prints it: about 130 MB. */
function* yaml(): Generator<string, void, void> {
  yield "apiVersion: v1\nitems:\n";
  for (let index = 0; index < JOBS; index += 1) {
    yield `- ${stringify(jobAt(index), { indentSeq: false, aliasDuplicateObjects: false }).trimEnd().replaceAll("\n", "\n  ")}\n`;
  }
  yield "kind: List\n";
}

test.each([
  ["JSON", json],
  ["YAML", yaml],
])("a dump of 50 000 Jobs as %s is read in a heap of 128 MB", async (_, dump) => {
  const bin = join(import.meta.dirname, "../../bin/stalewatch.js");
  const argv = [`--max-old-space-size=${HEAP}`, bin, "jobs", "-f", "-", "--at", "2026-01-02T03:05:00Z", "-o", "json"];
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  const answer = text(child.stdout);
  await pipeline(Readable.from(dump()), child.stdin);
  expect(JSON.parse(await answer)).toMatchObject({ objects: { jobs: JOBS }, healthy: JOBS, findings: [] });
});
