import { StalewatchError } from "../base/index.ts";
import type { ParentRules } from "../jobs/index.ts";
import { isRecord, type Json, JsonObjects } from "../kube/index.ts";
import { apiVersionOf, groupVersionOf, resources } from "../resources/index.ts";
import { CandidateParents } from "./candidate-parents.ts";
import { itemTypeOf } from "./dump-kinds.ts";
import { readRecording } from "./read-recording.ts";

const { jobs } = resources;

/**
 * The kinds of custom resources in a recording that own Jobs, besides those that are known. Reads the file from its beginning to its end,
 * or to a line that cannot be read: whoever replays it tells of that.
 */
export async function recordedParents(path: string, known: readonly ParentRules[]): Promise<readonly ParentRules[]> {
  const candidates = new CandidateParents<never>(known.map(({ resource }) => resource));
  const objects = new JsonObjects();
  const take = (json: unknown, itemType?: { apiVersion: string; kind: string }): void => {
    if (!isRecord(json)) return;
    const { apiVersion = itemType?.apiVersion, kind = itemType?.kind, metadata } = json;
    if (typeof apiVersion !== "string" || typeof kind !== "string") return;
    if (kind === jobs.kind && apiVersion === apiVersionOf(jobs)) {
      const read = objects.read(jobs, json);
      if (!("why" in read)) candidates.see(read.object);
      return;
    }
    const isNamespaced = isRecord(metadata) && metadata["namespace"] !== undefined;
    candidates.resourceOf({ ...groupVersionOf(apiVersion), kind }, isNamespaced);
  };
  try {
    for await (const line of readRecording(path)) {
      if (line.type === "LISTED") for (const item of itemsOf(line.object)) take(item, itemTypeOf(line.object));
      else if (line.type === "ADDED" || line.type === "MODIFIED") take(line.object);
    }
  } catch (thrown) {
    if (!(thrown instanceof StalewatchError)) throw thrown; // the other is told by the replay
  }
  return candidates.owners().found.map(({ rules }) => rules);
}

function itemsOf({ items }: Json): readonly unknown[] {
  return Array.isArray(items) ? items : [];
}
