import { messageOf, oneLine, parseDuration, StalewatchError } from "../../base/index.ts";
import { type LimitRule, type LimitRules, stuckKinds } from "../../jobs/index.ts";
import { isRecord, type Json } from "../../kube/index.ts";
import { parseLabelSelector } from "../../resources/index.ts";
import { UsageError } from "../failure.ts";
import { didYouMean } from "../nearest.ts";
import { readYamlList } from "./yaml-list.ts";

const KEYS = ["kind", "namespace", "labels", "info", "warning", "critical"];
const AGES = { info: "infoMs", warning: "warningMs", critical: "criticalMs" } as const;

/**
 * The rules of a `--limits` file, none without one: a YAML list, each entry with the `kind` it is about, optionally a `namespace` and `labels` (a
 * selector, of the object or its owner), and the ages `info`, `warning`, `critical` as durations or "never". A later entry wins.
 * Errors: `USAGE`, naming the file and the line.
 */
export async function readLimitsFile(path: string | undefined): Promise<LimitRules> {
  if (path === undefined) return [];
  const entries = await readYamlList({ path, flag: "--limits", of: "limits", example: "- {kind: S13, warning: 5m}" });
  return entries.map(({ value, where }) => ruleOf(value, where));
}

function ruleOf(entry: unknown, where: string): LimitRule {
  if (!isRecord(entry)) throw new UsageError(`${where} is not a limit`, 'write "- {kind: S13, warning: 5m}"');
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new UsageError(
      `${where}: there is no key ${oneLine(unknown)}`,
      didYouMean(unknown, KEYS, `use ${KEYS.join(", ")}`),
    );
  }
  const namespace = textAt(entry, "namespace", where);
  const labels = textAt(entry, "labels", where);
  return {
    kind: kindOf(entry, where),
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels: told(where, "labels", () => parseLabelSelector(labels)) }),
    ages: agesOf(entry, where),
  };
}

function kindOf(entry: Json, where: string): string {
  const given = textAt(entry, "kind", where);
  if (given === undefined) throw new UsageError(`${where} names no kind`, "add one, such as kind: S13");
  const kind = stuckKinds.find(({ id, name }) => id === given || name === given);
  if (kind) return kind.id;
  const names = stuckKinds.flatMap(({ id, name }) => [id, name]);
  const otherwise = "docs/stuck-jobs.md has all of them";
  throw new UsageError(`${where}: ${oneLine(given)} is no stuck kind`, didYouMean(given, names, otherwise));
}

function agesOf(entry: Json, where: string): LimitRule["ages"] {
  const ages = Object.entries(AGES).flatMap(([key, field]) => {
    const text = textAt(entry, key, where);
    return text === undefined ? [] : [[field, told(where, key, () => ageOf(text))] as const];
  });
  if (ages.length === 0)
    throw new UsageError(`${where} changes no age`, "give a warning or critical age, such as warning: 5m");
  return Object.fromEntries(ages);
}

function ageOf(text: string): number {
  if (text === "never") return Number.POSITIVE_INFINITY;
  const ms = parseDuration(text);
  if (ms >= 0) return ms;
  throw new StalewatchError("BAD_DURATION", `"${text}" is negative`, "write an age from 0 on");
}

function textAt(entry: Json, key: string, where: string): string | undefined {
  const value = entry[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new UsageError(`${where}: ${key} needs one value`);
}

/** What a parser says of a value, with where it stands. */
function told<T>(where: string, key: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof StalewatchError)) throw error;
    throw new UsageError(`${where}: ${key}: ${messageOf(error)}`);
  }
}
