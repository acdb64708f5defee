import type { DeepReadonly, Event, Job } from "../resources/index.ts";
import { firstSeen, lastSeen } from "./event-times.ts";
import { startedSince } from "./job-state.ts";
import { hasUnfinishedPods } from "./pod-state.ts";
import { bySince, latestOf, type Since, sinceOf } from "./since.ts";
import type { World } from "./world.ts";

/** A Job is given its pods within a second or two; before that nothing is asked about it. */
const ASK_AFTER_MS = 30_000;

/**
 * How long a refusal counts as going on. The Job controller tries again every minute at most, but it tells of no more than one try in
 * five minutes once it has told of 25 (the spam filter of client-go's event recorder).
 */
const STILL_TOLD_MS = 15 * 60_000;

export type Refuser =
  | "quota"
  | "webhookFailed"
  | "webhookDenied"
  | "policy"
  | "podSecurity"
  | "limitRange"
  | "serviceAccount"
  | "other";

/** Who refuses a pod, by what the API server's admission says. What stands first in the text is who speaks: the rest may be anybody's words. */
const REFUSERS: Readonly<Record<Exclude<Refuser, "other">, RegExp>> = {
  quota: /(?:exceeded|failed|status unknown for) quota: ([^\s,:]+)|insufficient quota/,
  webhookFailed: /failed calling webhook "([^"]+)"/,
  webhookDenied: /admission webhook "([^"]+)" denied the request/,
  policy: /[Pp]olicy ['"]([^'"]+)['"] (?:with binding '[^']*' )?denied request/,
  podSecurity: /violates PodSecurity "([^"]+)"/,
  limitRange: /(?:maximum|minimum) \S+ usage per (Pod|Container)/,
  serviceAccount: /error looking up service account [^\s/]+\/([^\s:]+):/,
};

export interface Refusal extends Since {
  readonly by: Refuser;
  /** The name of the quota, webhook, policy, level or ServiceAccount; empty where the text has none. */
  readonly name: string;
  /** The last text told. Not safe to print as it is. */
  readonly text: string;
  readonly times: number;
}

/** Nothing runs and nothing is counted as running: the Job needs a pod that it has not been given. */
function lacksPods(job: DeepReadonly<Job>, world: World): boolean {
  return (job.status.active ?? 0) === 0 && !hasUnfinishedPods(job, world);
}

/** When it is worth asking for the events of a Job that has no pods. */
export function refusalStartsAt(job: DeepReadonly<Job>, world: World): number | undefined {
  const started = lacksPods(job, world) ? startedSince(job) : undefined;
  return started && started.sinceMs + ASK_AFTER_MS;
}

/** Attempts to make a pod, whatever came of them. Undefined: not known, or not worth asking yet. */
export function attemptsOf(
  job: DeepReadonly<Job>,
  world: World,
  now: number,
): readonly DeepReadonly<Event>[] | undefined {
  const askFrom = refusalStartsAt(job, world);
  if (askFrom === undefined || now < askFrom) return undefined;
  return world.eventsAbout(job)?.filter(({ reason }) => reason === "FailedCreate" || reason === "SuccessfulCreate");
}

/**
 * Who refuses the pods of a Job that has none now, and since when: the first time that this refuser was told of after the last pod was
 * made. Several may refuse in turn; the latest one is what stands in the way.
 */
export function refusalOf(job: DeepReadonly<Job>, world: World, now: number): Refusal | undefined {
  const attempts = attemptsOf(job, world, now) ?? [];
  const made = latestOf(
    startedSince(job),
    ...attempts.filter(({ reason }) => reason === "SuccessfulCreate").map(lastSeen),
    ...world
      .podsOf(job.metadata.uid)
      .map(({ metadata }) => sinceOf(metadata.creationTimestamp, "pod metadata.creationTimestamp")),
  );
  const refusals = attempts.flatMap((event) => {
    const last = lastSeen(event);
    const first = latestOf(firstSeen(event), made);
    if (event.reason !== "FailedCreate" || !last || !first || last.sinceMs < (made?.sinceMs ?? 0)) return [];
    return { ...refuserIn(event.message ?? ""), first, last, times: event.series?.count ?? event.count ?? 1 };
  });
  const [latest] = refusals.toSorted((a, b) => bySince(b.last, a.last) || (a.text < b.text ? -1 : 1));
  if (!latest || now - latest.last.sinceMs > STILL_TOLD_MS) return undefined;
  const same = refusals.filter(({ by, name }) => by === latest.by && name === latest.name);
  const [oldest] = same.map(({ first }) => first).toSorted(bySince);
  const { by, name, text } = latest;
  return { by, name, text, times: same.reduce((sum, { times }) => sum + times, 0), ...(oldest ?? latest.first) };
}

function refuserIn(text: string): Pick<Refusal, "by" | "name" | "text"> {
  const found = Object.entries(REFUSERS).flatMap(([by, pattern]) => {
    const match = pattern.exec(text);
    return match ? { by: by as Refuser, name: match[1] ?? "", text, at: match.index } : [];
  });
  const [first] = found.toSorted((a, b) => a.at - b.at);
  return first ? { by: first.by, name: first.name, text } : { by: "other", name: "", text };
}
