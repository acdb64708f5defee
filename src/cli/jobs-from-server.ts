import { z } from "zod";
import type { JobsAnswer } from "../http/index.ts";
import { groupsOf } from "../jobs/index.ts";
import { askServer, type AskOptions } from "./ask-server.ts";

/** What is printed of an answer; whatever else it has passes through to JSON. */
const finding = z.looseObject({
  kind: z.string(),
  reason: z.string(),
  severity: z.enum(["info", "warning", "critical"]),
  state: z.enum(["stuck", "watching", "queued"]),
  object: z.looseObject({ kind: z.string(), namespace: z.string(), name: z.string() }),
  owner: z.looseObject({ kind: z.string(), name: z.string() }),
  since: z.string(),
  ageSeconds: z.number(),
  message: z.string(),
  next: z.array(z.string()),
});

const answer = z.looseObject({
  at: z.string(),
  objects: z.record(z.string(), z.number()),
  healthy: z.number(),
  findings: z.array(finding),
  groups: z.array(z.looseObject({ cause: z.string(), members: z.number(), objects: z.array(z.string()) })),
  notes: z.array(z.string()),
});

export interface JobsFromServerOptions extends Omit<AskOptions<unknown>, "path" | "schema"> {
  readonly all: boolean;
  /** All when empty. */
  readonly namespaces: readonly string[];
}

/** What a running sidecar says is stuck. Errors: those of `askServer`. */
export async function jobsFromServer(options: JobsFromServerOptions): Promise<JobsAnswer> {
  const { all, namespaces } = options;
  const read = await askServer({ ...options, path: all ? "jobs?all" : "jobs", schema: answer });
  // Checked as far as it is used here; the rest is only printed.
  const given = read as unknown as JobsAnswer;
  if (namespaces.length === 0) return given;
  const findings = given.findings.filter(({ object }) => namespaces.includes(object.namespace));
  return { ...given, findings, groups: groupsOf(findings) };
}
