import { readFileSync } from "node:fs";
import { join } from "node:path";
import { whenAborted } from "../../src/base/index.ts";
import { record, type RecordOptions } from "../../src/dump/index.ts";
import type { KubeClient } from "../../src/kube/index.ts";
import { type Resource, resources } from "../../src/resources/index.ts";
import type { VirtualClock } from "../../src/testing/index.ts";
import { folderOf } from "./files.ts";
import type { Line } from "./recordings.ts";

/** What a server says of Jobs; of any other kind there is nothing. */
export interface JobsOnly {
  readonly list: () => AsyncIterable<unknown>;
  readonly watch: (signal: AbortSignal) => AsyncIterable<unknown>;
}

export type More = Partial<Pick<RecordOptions, "namespaces" | "targets" | "path">>;

/** Runs until `stop` aborts, and returns what was written. */
export async function recordingOf(
  jobs: JobsOnly,
  clock: VirtualClock,
  stop: AbortSignal,
  more: More = {},
): Promise<readonly Line[]> {
  const path = join(folderOf({}), "r.ndjson");
  const client = {
    list: (resource: Resource) => (isJobs(resource) ? jobs.list() : nothing()),
    watch: (resource: Resource, { signal }: { signal: AbortSignal }) => {
      return isJobs(resource) ? jobs.watch(signal) : silence(signal);
    },
  } as unknown as KubeClient;
  const options = { namespaces: [], targets: [], targetIntervalMs: 1_000, path, onTrouble: () => {} };
  const env = { clock, random: () => 0 };
  await record({ ...options, client, parents: [], genericParents: false, env, ...more }, stop);
  return linesIn(path);
}

/** A watch that brings nothing. */
export async function* silence(signal: AbortSignal): AsyncGenerator<readonly object[]> {
  await whenAborted(signal);
  yield [];
}

function isJobs({ resource }: Resource): boolean {
  return resource === resources.jobs.resource;
}

async function* nothing(): AsyncGenerator<object> {
  yield { items: [], resourceVersion: "1", last: true };
}

function linesIn(path: string): readonly Line[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}
