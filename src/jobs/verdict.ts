import type { DeepReadonly, KubeObject, Resource } from "../resources/index.ts";
import type { Stage } from "./decision-order.ts";
import { type Finding, findingOf, nextLimitAt, type Symptom, weigh, type Weight } from "./finding.ts";
import { laterSuccessOf } from "./later-success.ts";
import { limitsFor, type LimitRules } from "./limits.ts";
import { type Silence, silenceOf } from "./silence.ts";
import type { StuckKind } from "./stuck-kind.ts";
import { nameOf } from "./words.ts";
import type { World } from "./world.ts";

export interface Verdict {
  /** Undefined: healthy. */
  readonly finding: Finding | undefined;
  /** Wall time at which time alone may change the verdict; undefined: only an event can. */
  readonly dueAt: number | undefined;
  /** Every kind was asked: none is hidden behind what was found. */
  readonly isWhole: boolean;
}

/** An object of a kind that has an order of decision. */
export interface Subject<T extends KubeObject> {
  readonly resource: Pick<Resource, "group" | "version" | "kind">;
  readonly object: DeepReadonly<T>;
  readonly order: readonly Stage<T>[];
}

/**
 * The one reason why an object is stuck: the first in its decision order that is old enough to count, or else the first that is only
 * watched. Within a stage the first kind that sees something rules the others out. A later stage is still asked: what is young may be
 * gone in a moment (a pod in its last seconds, a list that changes with every sync), and must not hide what has stood still for hours.
 * Pure: ages come from API timestamps, so a restart of whoever asks changes nothing.
 */
export function verdictOn<T extends KubeObject>(
  subject: Subject<T>,
  world: World,
  now: number,
  rules: LimitRules = [],
): Verdict {
  const { object, order } = subject;
  const times: (number | undefined)[] = [];
  let watched: Finding | undefined;
  let isWhole = true;
  for (const { kinds } of stagesOf(object, order, world)) {
    for (const kind of kinds) {
      const symptom = kind.look(object, world, now);
      // A time that cannot be read is no time: such an object comes from a file, never from the API server.
      if (!symptom || Number.isNaN(symptom.sinceMs)) {
        times.push(kind.startsAt?.(object, world, now));
        continue;
      }
      const limits = limitsFor(kind.id, symptom.limits ?? kind.limits, object, world, rules);
      const silence = silenceOf(object, kind.id, now);
      const finding = judged(subject, kind, symptom, { weight: weigh(symptom.sinceMs, now, limits), silence, world });
      times.push(nextLimitAt(symptom.sinceMs, now, limits), silence.untilMs, symptom.untilMs);
      if (finding.state !== "watching") {
        return { finding, dueAt: earliest(times, now), isWhole: false };
      }
      watched ??= finding;
      isWhole &&= kind === kinds.at(-1);
      break;
    }
  }
  return { finding: watched, dueAt: earliest(times, now), isWhole };
}

interface Circumstances {
  readonly weight: Weight;
  readonly silence: Silence;
  readonly world: World;
}

function judged<T extends KubeObject>(
  { resource, object }: Subject<T>,
  kind: StuckKind<T>,
  symptom: Symptom,
  { weight, silence, world }: Circumstances,
): Finding {
  // Looking through all runs of a CronJob is not free, and nobody is told of what is only watched.
  const later = weight.state === "stuck" ? laterSuccessOf(resource, object, world) : undefined;
  const more = [...(later ? [`${nameOf("Job", later)}, a later run, has succeeded`] : []), ...silence.mistakes];
  const judgement = { weight: later ? eased(weight) : weight, more, silencedUntilMs: silence.untilMs };
  return findingOf(kind, resource, object, symptom, judgement);
}

function eased(weight: Weight): Weight {
  return { ...weight, severity: "info" };
}

function earliest(times: readonly (number | undefined)[], now: number): number | undefined {
  const ahead = times.filter((at) => at !== undefined && at > now) as number[];
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}

function* stagesOf<T extends KubeObject>(
  object: DeepReadonly<T>,
  order: readonly Stage<T>[],
  world: World,
): Generator<Stage<T>> {
  for (const stage of order) {
    if (!stage.holds(object, world)) continue;
    yield stage;
    if (stage.final) return;
  }
}
