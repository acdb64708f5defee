import { createReadStream } from "node:fs";
import { codesOf, fileProblem, oneLine, StalewatchError } from "../base/index.ts";
import { isRecord, type Json } from "../kube/index.ts";
import { LARGEST_OBJECT } from "./raw-object.ts";
import type { RecordedLine, RecordedSample } from "./recording.ts";
import { textPieces } from "./text-pieces.ts";

const OBJECT_TYPES = ["LISTED", "ADDED", "MODIFIED", "DELETED", "BOOKMARK"] as const;
/** A list stands in one line. Half of what a string may hold: a longer one has no place to be put together in. */
const LONGEST_LINE = 16 * LARGEST_OBJECT;

/**
 * The lines of a recording, one after the other, in order of time. Errors: `BAD_RECORDING` names the file and the line, and whoever
 * reads has had every line before it.
 */
export async function* readRecording(path: string): AsyncGenerator<RecordedLine, void, void> {
  let line = 0;
  let before = Number.NEGATIVE_INFINITY;
  try {
    for await (const text of lines(createReadStream(path))) {
      line += 1;
      if (text.trim() === "") continue;
      const read = lineOf(text, line);
      if (read.at < before) throw new Error("it is older than the line before it");
      before = read.at;
      yield read;
    }
  } catch (thrown) {
    if (thrown instanceof StalewatchError) throw thrown;
    const where = line === 0 ? oneLine(path) : `${oneLine(path)} line ${line}`;
    // Nothing of a recording: a file or a folder of objects, as likely as not.
    const mayBeDump = before === Number.NEGATIVE_INFINITY && (line > 0 || codesOf(thrown).includes("EISDIR"));
    const remedy = mayBeDump ? "stalewatch jobs -f reads files of objects" : "";
    throw new StalewatchError("BAD_RECORDING", `${where} cannot be read: ${fileProblem(thrown)}`, remedy, {
      cause: thrown,
    });
  }
}

async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let unfinished = "";
  for await (const pieces of textPieces(bytes)) {
    for (const piece of pieces) {
      unfinished += piece;
      if (unfinished.length > LONGEST_LINE) throw new Error("a line is too long");
      if (!piece.endsWith("\n")) continue;
      yield unfinished;
      unfinished = "";
    }
  }
  if (unfinished !== "") yield unfinished;
}

/** Errors: says in a few words what is wrong. */
function lineOf(text: string, line: number): RecordedLine {
  const json = JSON.parse(text) as unknown;
  if (!isRecord(json)) throw new Error("it is no JSON object");
  const at = Date.parse(textOf(json, "at"));
  if (Number.isNaN(at)) throw new Error('its "at" is no time');
  const sentAt = typeof json["sentAt"] === "string" ? Date.parse(json["sentAt"]) : Number.NaN;
  const place = { at, line, sentAt: Number.isNaN(sentAt) ? undefined : sentAt };
  const type = textOf(json, "type");
  if (isObjectType(type)) {
    const { object, namespace } = json;
    if (!isRecord(object)) throw new Error('it has no "object"');
    if (type !== "LISTED") return { ...place, type, object, isUnreadable: json["unreadable"] !== undefined };
    const unreadable = unreadableOf(json["unreadable"]);
    return { ...place, type, object, unreadable, ...(typeof namespace === "string" ? { namespace } : {}) };
  }
  switch (type) {
    case "WATCH_ENDED":
      return {
        ...place,
        type,
        apiVersion: textOf(json, "apiVersion"),
        kind: textOf(json, "kind"),
        reason: textOf(json, "reason"),
      };
    case "TARGET":
      return { ...place, type, target: textOf(json, "target"), samples: samplesOf(json["samples"]) };
    case "PASS":
    case "END":
      return { ...place, type };
    default:
      throw new Error(`it is of no type that is known: "${oneLine(type)}"`);
  }
}

function isObjectType(type: string): type is (typeof OBJECT_TYPES)[number] {
  return (OBJECT_TYPES as readonly string[]).includes(type);
}

function textOf(json: Json, key: string): string {
  const text = json[key];
  if (typeof text !== "string") throw new Error(`it has no "${key}"`);
  return text;
}

function unreadableOf(unreadable: unknown = []): readonly (Json | undefined)[] {
  if (!Array.isArray(unreadable)) throw new Error('its "unreadable" is no list');
  return unreadable.map((each: unknown) => (isRecord(each) && isRecord(each["object"]) ? each["object"] : undefined));
}

function samplesOf(samples: unknown): readonly RecordedSample[] {
  if (!Array.isArray(samples)) throw new Error('it has no "samples"');
  return samples.map((sample: unknown) => {
    if (!isRecord(sample) || typeof sample["name"] !== "string" || typeof sample["value"] !== "number") {
      throw new Error("a sample has no name or no value");
    }
    const labels = isRecord(sample["labels"]) ? Object.entries(sample["labels"]) : [];
    return {
      name: sample["name"],
      labels: Object.fromEntries(labels.map(([label, value]) => [label, String(value)])),
      value: sample["value"],
    };
  });
}
