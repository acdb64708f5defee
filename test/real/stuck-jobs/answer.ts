import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { ClusterAccess, Json, Rule } from "../harness/index.ts";
import { requireTool } from "../harness/index.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** What is read of a finding: a shape of this test's own, so that it notices when the product's changes. */
export interface Finding {
  readonly kind: string;
  readonly reason: string;
  readonly state: string;
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly owner: { readonly kind: string; readonly name: string };
  readonly since: string;
  readonly sinceSource: string;
  readonly message: string;
}

export interface Answer {
  readonly at: string;
  readonly findings: readonly Finding[];
}

/** What deploy/ grants a sidecar that reads. */
export function grantedToRead(): Rule[] {
  const text = readFileSync(join(root, "deploy/base/read.yaml"), "utf8");
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Json);
  return objects.find(({ kind }) => kind === "ClusterRole")?.["rules"] as Rule[];
}

/** As people make one, with more kinds if they think of it. */
export async function dumpOf(access: ClusterAccess, ...more: readonly string[]): Promise<string> {
  const kinds = ["jobs", "pods", "cronjobs", "events", "leases", ...more].join(",");
  const args = [`--kubeconfig=${access.kubeconfig()}`, "get", kinds, "-A", "-o", "yaml"];
  const { stdout } = await run(requireTool("kubectl"), args, { maxBuffer: 64 << 20 });
  return stdout;
}

/** What `stalewatch jobs -f` finds in a file, with what is only watched. */
export async function jobsInFile(file: string, ...args: readonly string[]): Promise<Answer> {
  const command = [join(root, "bin/stalewatch.js"), "jobs", "-f", file, "-o", "json", "--all", ...args];
  const { stdout } = await run(process.execPath, command, { maxBuffer: 64 << 20 });
  return JSON.parse(stdout) as Answer;
}

/** One line a finding, without how old and how grave it is. The API has no time for what is `observed`. */
export function linesOf({ findings }: Answer): string[] {
  return findings
    .map(({ kind, reason, object, owner, since, sinceSource, message }) => {
      const what = `${object.namespace} ${object.kind}/${object.name} of ${owner.kind}/${owner.name}`;
      return `${what}: ${kind} ${reason}, since ${sinceSource === "observed" ? "" : since} ${sinceSource}: ${message}`;
    })
    .toSorted();
}
