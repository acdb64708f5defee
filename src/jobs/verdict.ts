import type { DeepReadonly, KubeObject, Resource } from "../resources/index.ts";
import type { Stage } from "./decision-order.ts";
import { type Finding, findingOf, nextLimitAt, weigh, type Weight } from "./finding.ts";
import { laterSuccessOf } from "./later-success.ts";
import { limitsFor, type LimitRules } from "./limits.ts";
import { silenceOf } from "./silence.ts";
import type { StuckKind } from "./stuck-kind.ts";
import { nameOf } from "./words.ts";
import type { World } from "./world.ts";

export interface Verdict {
  /** Undefined: healthy. */
  readonly finding: Finding | undefined;
  /** Wall time at which time alone may change the verdict; undefined: only an event can. */
  readonly dueAt: number | undefined;
}

/** An object of a kind that has an order of decision. */
export interface Subject<T extends KubeObject> {
  readonly resource: Pick<Resource, "group" | "version" | "kind">;
  readonly object: DeepReadonly<T>;
  readonly order: readonly Stage<T>[];
}

/**
 * The one reason why an object is stuck, by its decision order. Pure: ages come from API timestamps, so a restart of whoever asks
 * changes nothing.
 */
export function verdictOn<T extends KubeObject>(
  { resource, object, order }: Subject<T>,
  world: World,
  now: number,
  rules: LimitRules = [],
): Verdict {
  const starts: number[] = [];
  for (const kind of kindsFor(object, order, world)) {
    const symptom = kind.look(object, world, now);
    // A time that cannot be read is no time: such an object comes from a file, never from the API server.
    if (symptom && !Number.isNaN(symptom.sinceMs)) {
      const limits = limitsFor(kind.id, symptom.limits ?? kind.limits, object, world, rules);
      const silence = silenceOf(object, kind.id, now);
      const later = laterSuccessOf(resource, object, world);
      const weight = later ? eased(weigh(symptom.sinceMs, now, limits)) : weigh(symptom.sinceMs, now, limits);
      const more = [...(later ? [`${nameOf("Job", later)}, a later run, has succeeded`] : []), ...silence.mistakes];
      const finding = findingOf(kind, resource, object, symptom, { weight, more, silencedUntilMs: silence.untilMs });
      const times = [...starts, nextLimitAt(symptom.sinceMs, now, limits), silence.untilMs, symptom.untilMs];
      return { finding, dueAt: earliest(times, now) };
    }
    const startsAt = kind.startsAt?.(object, world, now);
    if (startsAt !== undefined) starts.push(startsAt);
  }
  return { finding: undefined, dueAt: earliest(starts, now) };
}

function eased(weight: Weight): Weight {
  return { ...weight, severity: "info" };
}

function earliest(times: readonly (number | undefined)[], now: number): number | undefined {
  const ahead = times.filter((at) => at !== undefined && at > now) as number[];
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}

function* kindsFor<T extends KubeObject>(
  object: DeepReadonly<T>,
  order: readonly Stage<T>[],
  world: World,
): Generator<StuckKind<T>> {
  for (const stage of order) {
    if (!stage.holds(object, world)) continue;
    yield* stage.kinds;
    if (stage.final) return;
  }
}
