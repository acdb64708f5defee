import { oneLine } from "../../base/index.ts";
import { captfParents, genericParent, type ParentRules, type Parents, type ParentSchedule } from "../../jobs/index.ts";
import { isRecord, type Json } from "../../kube/index.ts";
import { UsageError } from "../failure.ts";
import { didYouMean } from "../nearest.ts";
import { readYamlList } from "./yaml-list.ts";

const KIND_KEYS = ["group", "version", "kind", "resource", "namespaced"];
const RULE_KEYS = ["ready", "agreeing", "working", "phase", "activeJob", "jobs", "finalizers", "waits", "schedules"];
const JOB_KEYS = ["kindLabel", "nameLabel", "opLabel", "readyOps", "destroyOps"];
const SCHEDULE_KEYS = ["name", "every", "enabledBy", "last", "ops"];

/**
 * What each `--parents` names: `captf`, `generic` for every kind that is found to own Jobs, or a file with a YAML list. Each entry names a kind (`group`, `version`, `kind`,
 * `resource`; `namespaced` unless it says false) and how it differs from the usual one, whose conditions are Ready or Available and
 * which owns its Jobs. Errors: `USAGE`, naming the file and the line.
 */
export async function readParents(given: readonly string[]): Promise<Parents> {
  const others = given.filter((each) => each !== "generic");
  const parents = (await Promise.all(others.map(readPresetOrFile))).flat();
  return { parents, genericParents: others.length < given.length };
}

async function readPresetOrFile(path: string): Promise<readonly ParentRules[]> {
  if (path === "captf") return captfParents;
  const example = "- {group: example.com, version: v1, kind: Run, resource: runs}";
  const entries = await readYamlList({ path, flag: "--parents", of: "kinds", example });
  return entries.map(({ value, where }) => rulesOf(value, where));
}

function rulesOf(value: unknown, where: string): ParentRules {
  const entry = recordOf(value, where, [...KIND_KEYS, ...RULE_KEYS]);
  const required = (key: string): string => {
    const text = textAt(entry, key, where);
    if (text === undefined) throw new UsageError(`${where} has no ${key}`, `name ${KIND_KEYS.slice(0, 4).join(", ")}`);
    return text;
  };
  const usual = genericParent({
    group: textAt(entry, "group", where) ?? "",
    version: required("version"),
    kind: required("kind"),
    resource: required("resource"),
    namespaced: entry["namespaced"] !== false,
  });
  const jobs = entry["jobs"] === undefined ? {} : recordOf(entry["jobs"], `${where}: jobs`, JOB_KEYS);
  return {
    ...usual,
    ...texts(entry, ["phase", "activeJob"], where),
    ...lists(entry, ["ready", "agreeing", "working", "finalizers"], where),
    jobs: {
      ...usual.jobs,
      ...texts(jobs, ["kindLabel", "nameLabel", "opLabel"], where),
      ...lists(jobs, ["readyOps", "destroyOps"], where),
    },
    ...(entry["waits"] === undefined ? {} : { waits: waitsOf(entry["waits"], `${where}: waits`) }),
    ...(entry["schedules"] === undefined ? {} : { schedules: schedulesOf(entry["schedules"], `${where}: schedules`) }),
  };
}

function waitsOf(value: unknown, where: string): ParentRules["waits"] {
  if (isRecord(value) && Object.values(value).every((interval) => typeof interval === "string")) {
    return value as ParentRules["waits"];
  }
  throw new UsageError(`${where} is no map of reasons to intervals`, "write waits: {WaitingForLock: LockRequeue}");
}

function schedulesOf(value: unknown, where: string): readonly ParentSchedule[] {
  if (!Array.isArray(value)) throw new UsageError(`${where} is no list`);
  return value.map((each) => {
    const entry = recordOf(each, where, SCHEDULE_KEYS);
    const [name, every, last] = ["name", "every", "last"].map((key) => textAt(entry, key, where));
    if (name === undefined || every === undefined || last === undefined) {
      throw new UsageError(`${where}: one lacks name, every or last`);
    }
    const { ops = [] } = lists(entry, ["ops"], where);
    return { name, every, last, ops, ...texts(entry, ["enabledBy"], where) };
  });
}

function recordOf(value: unknown, where: string, keys: readonly string[]): Json {
  if (!isRecord(value)) throw new UsageError(`${where} is no map`, `write some of ${keys.join(", ")}`);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown === undefined) return value;
  const otherwise = `use ${keys.join(", ")}`;
  throw new UsageError(`${where}: there is no key ${oneLine(unknown)}`, didYouMean(unknown, keys, otherwise));
}

function texts<K extends string>(entry: Json, keys: readonly K[], where: string): Partial<Record<K, string>> {
  const given = keys.flatMap((key) => {
    const text = textAt(entry, key, where);
    return text === undefined ? [] : [[key, text] as const];
  });
  return Object.fromEntries(given) as Partial<Record<K, string>>;
}

function lists<K extends string>(
  entry: Json,
  keys: readonly K[],
  where: string,
): Partial<Record<K, readonly string[]>> {
  const given = keys.flatMap((key) => {
    const value = entry[key];
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return [[key, value] as const];
    throw new UsageError(`${where}: ${key} is no list of words`, `write ${key}: [One, Other]`);
  });
  return Object.fromEntries(given) as Partial<Record<K, string[]>>;
}

function textAt(entry: Json, key: string, where: string): string | undefined {
  const value = entry[key];
  if (value === undefined || typeof value === "string") return value;
  throw new UsageError(`${where}: ${key} needs one word`);
}
