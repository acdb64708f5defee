import { join } from "node:path";
import { kindsInFiles, replayRecording, type Replayed, type ReplayOptions } from "../../src/dump/index.ts";
import { CREATED } from "../jobs/objects.ts";
import { folderOf, jsonList, type WireObject } from "./files.ts";

export type Line = Record<string, unknown>;

/** `minutes` after `CREATED`. */
export function after(minutes: number): string {
  return new Date(Date.parse(CREATED) + minutes * 60_000).toISOString();
}

export function listed(minutes: number, items: readonly WireObject[], kind = "List"): Line {
  const list = {
    ...(JSON.parse(jsonList(items)) as object),
    kind,
    ...(kind === "List" ? {} : { apiVersion: "batch/v1" }),
  };
  return { at: after(minutes), type: "LISTED", object: list };
}

export function event(minutes: number, type: string, object: WireObject): Line {
  return { at: after(minutes), type, object };
}

export function end(minutes: number): Line {
  return { at: after(minutes), type: "END" };
}

export function until(minutes: number): Pick<ReplayOptions, "until"> {
  return { until: Date.parse(after(minutes)) };
}

export async function replay(
  lines: readonly (Line | string)[],
  options: Partial<ReplayOptions> = {},
): Promise<Replayed> {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const folder = folderOf({ "r.ndjson": text });
  return replayRecording(join(folder, "r.ndjson"), {
    kinds: kindsInFiles(),
    stepMs: 10_000,
    until: undefined,
    rules: [],
    ...options,
  });
}
