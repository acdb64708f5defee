import { oneLine } from "../../base/index.ts";
import {
  type Condition,
  type DeepReadonly,
  defineResource,
  type KubeObject,
  type Resource,
} from "../../resources/index.ts";
import { type Since, sinceOf } from "../since.ts";
import { quoted } from "../words.ts";
import type { ParentRules } from "./parent-rules.ts";

/** An object of a kind whose work is done by Jobs. What is kept of it follows from its rules. */
export interface Parent extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** What a parent says of itself. */
export interface Standing {
  /** ready: it works. working: it is at work. other: anything else that it says. */
  readonly says: "ready" | "working" | "failed" | "other";
  /** The words themselves: `Ready=False (Provisioning)`. */
  readonly words: string;
  readonly since: Since | undefined;
}

/** What it waits for by design. */
export interface Wait {
  readonly reason: string;
  /** The name of the interval after which its controller looks again. */
  readonly interval: string;
  readonly condition: DeepReadonly<Condition>;
}

const CONDITIONS = "status.conditions";
const OBSERVED_GENERATION = "status.observedGeneration";
const PAUSED = "spec.paused";
const PAUSED_ANNOTATION = "cluster.x-k8s.io/paused";

/** The kind, with no more kept of its objects than the rules look at. */
export function parentResource(rules: ParentRules): Resource<Parent> {
  const { phase, activeJob, schedules } = rules;
  const paths = [CONDITIONS, OBSERVED_GENERATION, PAUSED, phase, activeJob];
  const scheduled = schedules.flatMap(({ every, last, enabledBy }) => [every, last, enabledBy]);
  const keep = [...paths, ...scheduled].filter((path) => path !== undefined);
  return defineResource<Parent>({ ...rules.resource, keep: [...new Set(keep)] });
}

/** What is at a dotted path, or undefined. */
export function valueAt(object: DeepReadonly<Parent>, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

export function textAt(object: DeepReadonly<Parent>, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : valueAt(object, path);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Entries that are no conditions are left out: the schema of the kind is its own. */
export function conditionsOf(object: DeepReadonly<Parent>): readonly DeepReadonly<Condition>[] {
  const value = valueAt(object, CONDITIONS);
  return Array.isArray(value) ? value.filter(isCondition) : [];
}

function isCondition(value: unknown): value is Condition {
  if (typeof value !== "object" || value === null) return false;
  const {
    type,
    status,
    reason = "",
    message = "",
    lastTransitionTime = "",
  } = value as Record<keyof Condition, unknown>;
  return [type, status, reason, message, lastTransitionTime].every((field) => typeof field === "string");
}

export function conditionSince({ type, lastTransitionTime }: DeepReadonly<Condition>): Since | undefined {
  return sinceOf(lastTransitionTime, `condition ${oneLine(type)}`);
}

/** Its controller has not looked at the latest spec yet, so its status is about another one. */
export function isBehind(object: DeepReadonly<Parent>): boolean {
  const observed = valueAt(object, OBSERVED_GENERATION);
  return typeof observed === "number" && observed < (object.metadata.generation ?? 0);
}

export function isPaused(object: DeepReadonly<Parent>): boolean {
  return valueAt(object, PAUSED) === true || object.metadata.annotations?.[PAUSED_ANNOTATION] !== undefined;
}

/** Undefined: it says nothing of itself. */
export function standingOf(object: DeepReadonly<Parent>, rules: ParentRules): Standing | undefined {
  const told = conditionsOf(object).find(({ type }) => rules.ready.includes(type));
  if (told) {
    const { reason = "" } = told;
    const words = `${told.type}=${told.status}${reason ? ` (${reason})` : ""}`;
    return { says: told.status === "True" ? "ready" : wordOf(reason, rules), words, since: conditionSince(told) };
  }
  const phase = textAt(object, rules.phase);
  return phase === undefined ? undefined : { says: wordOf(phase, rules), words: phase, since: undefined };
}

function wordOf(word: string, { working }: ParentRules): Standing["says"] {
  if (working.includes(word)) return "working";
  return /fail|error/i.test(word) ? "failed" : "other";
}

export function waitOf(object: DeepReadonly<Parent>, { waits }: ParentRules): Wait | undefined {
  for (const condition of conditionsOf(object)) {
    const { status, reason = "" } = condition;
    const interval = Object.hasOwn(waits, reason) ? waits[reason] : undefined;
    if (status !== "True" && interval !== undefined) return { reason, interval, condition };
  }
  return undefined;
}

/** A line of evidence, where the parent says that it waits. */
export function waitLines(object: DeepReadonly<Parent>, rules: ParentRules): readonly string[] {
  const wait = waitOf(object, rules);
  return wait ? [`it waits: ${quoted(wait.reason)}, and looks again after ${wait.interval}`] : [];
}
