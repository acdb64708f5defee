import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { type Dump, kindsInFiles, readDump } from "../../src/dump/index.ts";
import { stringify } from "yaml";
import { CREATED } from "../jobs/objects.ts";

/** A folder with these files, by their path in it, for the length of a test. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "stalewatch-dump-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** The text as if it were piped in. `now` is an hour after `CREATED`. */
export async function dumpOf(text: string | Uint8Array, chunk: number = 1 << 16): Promise<Dump> {
  const bytes = Buffer.from(text as string);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) => {
    return bytes.subarray(index * chunk, (index + 1) * chunk);
  });
  return readDump({ paths: ["-"], stdin: Readable.from(chunks), kinds: kindsInFiles().kept, now: NOW });
}

export const NOW: number = Date.parse(CREATED) + 3_600_000;

/** As a server has it. */
export interface WireObject {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  spec?: object;
  status?: object;
}

export function wireJob(name: string, more: Partial<WireObject> = {}): WireObject {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "shop", uid: `uid-of-${name}`, resourceVersion: "10", creationTimestamp: CREATED },
    spec: { parallelism: 1, completions: 1, suspend: false, template: { spec: { containers: [{ name: "main" }] } } },
    status: { startTime: CREATED, active: 1, conditions: [] },
    ...more,
  };
}

/** One that has ended well. */
export function doneJob(name: string): WireObject {
  const conditions = [{ type: "Complete", status: "True", lastTransitionTime: CREATED }];
  return wireJob(name, { status: { startTime: CREATED, completionTime: CREATED, succeeded: 1, conditions } });
}

/** A pod of the Job whose one container waits for this reason. */
export function wirePod(name: string, of: WireObject, reason: string): WireObject {
  const owner = {
    apiVersion: "batch/v1",
    kind: "Job",
    name: of.metadata["name"],
    uid: of.metadata["uid"],
    controller: true,
  };
  const containerStatuses = [{ name: "main", state: { waiting: { reason, message: "it says why" } } }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-of-${name}`,
      resourceVersion: "11",
      creationTimestamp: CREATED,
      ownerReferences: [owner],
    },
    spec: { containers: [{ name: "main", image: "registry.example/export:v9" }] },
    status: { phase: "Pending", startTime: CREATED, containerStatuses },
  };
}

/** As `kubectl get -o json` prints them. */
export function jsonList(items: readonly unknown[]): string {
  return `${JSON.stringify({ apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } }, null, 4)}\n`;
}

/** As `kubectl get -o yaml` prints them. */
export function yamlList(items: readonly unknown[]): string {
  return stringify(
    { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } },
    { indentSeq: false, lineWidth: 80, aliasDuplicateObjects: false },
  );
}
