import { RetryBase, RetryMax } from "./built-in-intervals.ts";
import type { Due } from "./due.ts";
import type { Interval } from "./interval.ts";
import { Requeue } from "./requeue.ts";
import type { OpBackoff } from "./retry-policy.ts";

/** What a pass has found out about its object, for `nextLook`. */
export interface Situation {
  /** What the pass waits for, if it waits: a running Job, a gate, the state. Nothing can start meanwhile. */
  readonly waitsFor?: Interval | undefined;
  /** Ops to be started at once whatever the schedules say, the most urgent first. */
  readonly wants?: readonly string[];
  /** What the schedules of the object say; undefined where one is off. */
  readonly dues: readonly (Due | undefined)[];
  /** What `RetryPolicy` says about the object's ops; undefined where one may start. */
  readonly backoffs?: readonly (OpBackoff | undefined)[];
  /** The object's inputs have changed and are not applied: they wait for an approval, or for the end of a backoff. */
  readonly inputChangeWaits?: boolean;
}

/** What a pass does next: start an op now, or look again later. */
export type NextLook =
  | { readonly start: string; readonly due: Due; readonly requeue?: undefined }
  | { readonly requeue: Requeue; readonly start?: undefined };

export interface CombinationRule {
  readonly name: string;
  /** One sentence, for people. */
  readonly says: string;
  applies(situation: Situation): boolean;
  /** The reasons to look again that the rule leaves, from those that the rules before it left. */
  combine(dues: readonly Due[], situation: Situation, now: number): readonly Due[];
}

/**
 * How the reasons to look again combine. Every rule that applies has its turn, in this order; the last one leaves one reason at
 * most.
 */
export const combinationRules: readonly CombinationRule[] = [
  {
    name: "waiting",
    says: "A pass that waits on something looks again after that wait's interval, and starts nothing.",
    applies: ({ waitsFor }) => waitsFor !== undefined,
    combine: (dues, { waitsFor }, now) => (waitsFor ? [lookAfter(waitsFor, now)] : dues),
  },
  {
    name: "input change",
    says: "An input change that waits pauses what reads the inputs; the change itself wakes the pass, or RetryMax does.",
    applies: ({ waitsFor, inputChangeWaits }) => waitsFor === undefined && inputChangeWaits === true,
    combine: (dues, _, now) => [...dues.filter(({ readsInputs }) => !readsInputs), lookAfter(RetryMax, now)],
  },
  {
    name: "backoff",
    says: "An op that failed starts at the end of its backoff at the earliest; every other op keeps its own time.",
    applies: ({ backoffs = [] }) => backoffs.length > 0,
    combine: (dues, { backoffs = [] }) => dues.map((due) => postponed(due, backoffs)),
  },
  {
    name: "soonest",
    says: "The soonest of what is left counts; of two at the same time, the one named first.",
    applies: () => true,
    combine: (dues) => dues.reduce<readonly Due[]>(([best], due) => [best && best.at <= due.at ? best : due], []),
  },
];

/**
 * What to do next by `combinationRules`; undefined when there is no reason to look again but an event. Pure: a pass that asks at
 * another `now` gets what holds then.
 */
export function nextLook(situation: Situation, now: number): NextLook | undefined {
  const [next] = combinationRules
    .filter((rule) => rule.applies(situation))
    .reduce((dues, rule) => rule.combine(dues, situation, now), reasonsOf(situation));
  if (!next) return undefined;
  const { op, at, interval } = next;
  if (op !== undefined && at <= now) return { start: op, due: next };
  return { requeue: Requeue.after(interval, Math.max(at - now, 0)) };
}

function reasonsOf({ wants = [], dues }: Situation): readonly Due[] {
  const wanted = wants.map((op): Due => ({
    op,
    at: Number.NEGATIVE_INFINITY,
    interval: RetryBase,
    readsInputs: false,
  }));
  return [...wanted, ...dues.filter((due) => due !== undefined)];
}

function lookAfter(interval: Interval, now: number): Due {
  return { interval, at: now + interval.ms, op: undefined, readsInputs: false };
}

function postponed(due: Due, backoffs: readonly (OpBackoff | undefined)[]): Due {
  const backoff = backoffs.find((candidate) => candidate !== undefined && candidate.op === due.op);
  return backoff && backoff.until > due.at ? { ...due, at: backoff.until, interval: backoff.interval } : due;
}
