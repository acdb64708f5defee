import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "yaml";
import { runsAt, CRONJOBS, STUCK } from "./runs.ts";

export const DUMPED_JOBS = 50_000;

export type DumpFormat = "json" | "yaml";

/** Stands for the number of a Job in a text that many of them share. */
const NUMBER = 987_654_321;
const TIME = "2026-01-02T03:04:05Z";

/** Writes what `kubectl get jobs,pods -A --show-managed-fields` prints: 50 000 Jobs, of which 200 have been stuck for weeks at `now`, and the pods of these. */
export async function writeDump(path: string, format: DumpFormat, now: number): Promise<void> {
  await pipeline(Readable.from(text(format, now)), createWriteStream(path));
}

function* text(format: DumpFormat, now: number): Generator<string, void, void> {
  const print = format === "json" ? jsonItem : yamlItem;
  yield format === "json" ? '{\n    "apiVersion": "v1",\n    "items": [' : "apiVersion: v1\nitems:\n";
  let separator = "\n        ";
  for (const [at, item] of numbered(now, print)) {
    if (format === "json") yield separator;
    separator = ",\n        ";
    yield item.replaceAll(String(NUMBER), String(at));
  }
  yield format === "json" ? '\n    ],\n    "kind": "List"\n}\n' : 'kind: List\nmetadata:\n  resourceVersion: ""\n';
}

/** Numbers and the texts that they belong into: all Jobs, then the pods of those that are stuck. */
function* numbered(now: number, print: (object: object) => string): Generator<[number, string], void, void> {
  const runAt = runsAt(now);
  const owner = { name: `export-${NUMBER}`, uid: `uid-of-export-${NUMBER}` };
  const textsOf = (index: number): { job: string; pods: readonly string[] } => {
    const run = runAt(index, owner, NUMBER);
    const uid = `uid-of-job-${NUMBER}`;
    const job = print(served("batch/v1", "Job", run.job, uid));
    return { job, pods: run.pods(uid).map((pod, at) => print(served("v1", "Pod", pod, `uid-of-pod-${at}-${NUMBER}`))) };
  };
  const stuck = Array.from({ length: STUCK }, (_, index) => textsOf(index));
  const finished = textsOf(CRONJOBS);
  for (let at = 0; at < DUMPED_JOBS; at += 1) yield [at, stuck[at]?.job ?? finished.job];
  for (const [at, { pods }] of stuck.entries()) for (const pod of pods) yield [at, pod];
}

/** An object with what the API server adds to it. */
function served(apiVersion: string, kind: string, draft: { readonly metadata: object }, uid: string): object {
  const metadata = { ...draft.metadata, uid, creationTimestamp: TIME, resourceVersion: `1${NUMBER}`, generation: 1 };
  const { metadata: _metadata, ...rest } = draft;
  const managedFields = [
    manager("kubectl-client-side-apply", apiVersion, rest),
    {
      ...manager("kube-controller-manager", apiVersion, { status: "status" in rest ? rest.status : {} }),
      subresource: "status",
    },
  ];
  return { apiVersion, kind, metadata: { ...metadata, managedFields }, ...rest };
}

function manager(name: string, apiVersion: string, object: object): object {
  return {
    manager: name,
    operation: "Update",
    apiVersion,
    time: TIME,
    fieldsType: "FieldsV1",
    fieldsV1: fieldsOf(object),
  };
}

function fieldsOf(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`f:${name}`, fieldsOf(inner)]));
}

function jsonItem(object: object): string {
  return JSON.stringify(object, null, 4).replaceAll("\n", "\n        ");
}

function yamlItem(object: object): string {
  const options = { indentSeq: false, aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: true } as const;
  return `- ${stringify(object, options).trimEnd().replaceAll("\n", "\n  ")}\n`;
}
