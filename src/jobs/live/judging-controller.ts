import { type Clock, defined } from "../../base/index.ts";
import { Controller, defineWatch, type Pass, type Watch } from "../../controller/index.ts";
import type { Scope } from "../../kube/index.ts";
import { defineInterval, type Interval, LagRequeue, type Requeue } from "../../requeue/index.ts";
import { type DeepReadonly, keyOf, type KubeObject, type Resource } from "../../resources/index.ts";
import { type Env, type Log, resolveEnv } from "../../telemetry/index.ts";
import type { Stage } from "../decision-order.ts";
import type { Finding } from "../finding.ts";
import type { Findings } from "../findings.ts";
import type { LimitRules } from "../limits.ts";
import { Sightings } from "../sightings.ts";
import { verdictOn } from "../verdict.ts";
import type { CachedKind } from "./cached-kinds.ts";
import type { Caches } from "./caches.ts";
import { Dependencies } from "./dependencies.ts";
import type { EvidenceReader } from "./evidence-reader.ts";
import { LiveWorld } from "./live-world.ts";

/** The next age limit of an object falls due. Its own duration is only what is said of it: each pass asks for what is left. */
const StuckJobAge: Interval<"StuckJobAge"> = defineInterval({ name: "StuckJobAge", sort: "schedule", duration: "1m" });

/** What was read about a suspect may have changed: nothing tells of it. */
const EvidenceRefresh: Interval<"EvidenceRefresh"> = defineInterval({
  name: "EvidenceRefresh",
  sort: "schedule",
  duration: "1m",
});

export type JudgeInterval = "StuckJobAge" | "EvidenceRefresh";

/** What the judges of one set of caches share. */
export interface JudgeOptions {
  /** Where verdicts go. */
  findings: Findings;
  evidence: EvidenceReader;
  caches: Caches;
  /** Label of the controller's metrics. */
  name: string;
  /** All unless given. */
  namespace?: string;
  /** Passes at once; 2 unless given. */
  concurrency?: number;
  limits?: LimitRules;
  /**
   * Until when the caches of these kinds are known to show what is there, wall time in milliseconds; now unless given. A cache that has
   * lost its server must not make objects look older than what is known of them.
   */
  seenUntil?: (kinds: readonly Resource[]) => number;
  env?: Partial<Env>;
}

/** What is particular to one kind of object. */
export interface Judged<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly scope: Scope;
  readonly order: readonly Stage<T>[];
  readonly owns?: readonly CachedKind[];
  /** Kinds that verdicts may rest on: a change of an object that one rests on calls for it. */
  readonly follows?: readonly CachedKind[];
  readonly watches?: readonly Watch[];
  readonly select?: (object: DeepReadonly<T>) => boolean;
  readonly onPass?: ((object: DeepReadonly<T>) => void) | undefined;
}

/** So long a verdict may be kept back for an answer that is on its way. */
const PATIENCE_MS = 10_000;

/**
 * Judges an object whenever it, or what its verdict rests on, changes, and again at the moment when time alone may change the verdict.
 * Only reads. An object that is healthy whatever the time costs no timer. What no cache holds is asked of the evidence reader, and
 * the verdict stays as it was until the answer is there. While a cache has lost its server, objects are judged as of the last contact.
 */
export function judgingController<T extends KubeObject>(
  judged: Judged<T>,
  options: JudgeOptions,
): Controller<T, JudgeInterval> {
  const { resource, scope, order, follows = [], watches = [], owns = [], select, onPass } = judged;
  const { findings, evidence, caches, name, concurrency = 2, limits = [] } = options;
  const { clock, log } = resolveEnv(options.env);
  const kinds = [{ resource }, ...owns, ...follows].map((cached) => cached.resource as Resource);
  const judgedAt = judgedUntil(clock, () => options.seenUntil?.(kinds) ?? clock.now());
  const own = findings.of(resource);
  const sightings = new Sightings();
  /** The uids of the objects of which something seen is remembered. */
  const sighted = new Map<string, string>();
  const followed = new Dependencies();
  const parts = { caches, evidence, sightings, tracked: follows.length > 0 };
  const forget = (key: string): void => {
    const uid = sighted.get(key);
    if (uid === undefined) return;
    sightings.forget(uid);
    sighted.delete(key);
  };
  const controller: Controller<T, JudgeInterval> = new Controller<T, JudgeInterval>(name, {
    for: { resource, scope },
    watches: [
      ...watches,
      ...follows.map((source) => defineWatch(source, (object) => followed.concerned(source.resource, object))),
    ],
    intervals: [StuckJobAge, EvidenceRefresh],
    owns,
    concurrency,
    ...defined({ select }),
    reconcile(pass) {
      const { object, key } = pass;
      onPass?.(object);
      const ref = object.metadata;
      const asker = { name: `${name} ${key}`, namespace: ref.namespace, wake: () => controller.enqueue(ref) };
      const world = new LiveWorld(parts, asker);
      const now = judgedAt();
      const { finding, dueAt, isWhole } = verdictOn({ resource, object, order }, world, now, limits);
      if (parts.tracked) followed.set(key, world.dependencies);
      if (sighted.has(key) && sighted.get(key) !== ref.uid) forget(key);
      const sawAll = isWhole && world.waitingSince === undefined && world.notes.length === 0;
      if (sightings.looked(ref.uid, sawAll)) sighted.set(key, ref.uid);
      else sighted.delete(key);
      const waitedMs = world.waitingSince === undefined ? undefined : clock.monotonic() - world.waitingSince;
      if (waitedMs !== undefined && waitedMs < PATIENCE_MS) {
        return pass.requeue.after(EvidenceRefresh, PATIENCE_MS - waitedMs);
      }
      const noted = finding && withNotes(finding, world.notes);
      tell(pass.log, resource.kind, own.set(key, noted), noted);
      return nextLook(pass, { now, dueAt, wallNow: clock.now(), refresh: finding !== undefined && world.asked });
    },
    gone(ref) {
      const key = keyOf(ref);
      const before = own.set(key, undefined);
      followed.set(key, new Set());
      forget(key);
      if (before?.state === "stuck") log.info(`a stuck ${resource.kind} was deleted`, { key, kind: before.kind });
    },
  });
  return controller;
}

/** Never back: a verdict that was right when it was given stays while nothing new is known. */
function judgedUntil(clock: Clock, seenUntil: () => number): () => number {
  let until = 0;
  return () => {
    const wallNow = clock.now();
    until = Math.max(until, Math.min(wallNow, seenUntil()));
    return Math.min(wallNow, until);
  };
}

function withNotes(finding: Finding, notes: readonly string[]): Finding {
  return notes.length === 0 ? finding : { ...finding, evidence: [...finding.evidence, ...notes] };
}

interface Look {
  readonly now: number;
  readonly wallNow: number;
  readonly dueAt: number | undefined;
  readonly refresh: boolean;
}

function nextLook<T extends KubeObject>(
  { requeue }: Pick<Pass<T, JudgeInterval>, "requeue">,
  { now, wallNow, dueAt, refresh }: Look,
): Requeue | undefined {
  if (dueAt !== undefined && now < wallNow && dueAt <= wallNow) return requeue.after(LagRequeue);
  // A timer may come a little early by the wall clock: then a short wait is left, never none.
  const leftMs = dueAt === undefined ? Number.POSITIVE_INFINITY : Math.max(1, dueAt - wallNow);
  if (refresh && leftMs > EvidenceRefresh.ms) return requeue.after(EvidenceRefresh);
  return Number.isFinite(leftMs) ? requeue.after(StuckJobAge, leftMs) : undefined;
}

/** One line when an object becomes stuck, changes its reason or gets worse, and one when it recovers. */
function tell(log: Log, noun: string, before: Finding | undefined, after: Finding | undefined): void {
  const was = isTold(before) ? before : undefined;
  const is = isTold(after) ? after : undefined;
  if (is) {
    if (was?.kind === is.kind && was.reason === is.reason && was.severity === is.severity) return;
    const { kind, reason, severity, since, message } = is;
    log.warn(`a ${noun} is stuck`, { kind, reason, severity, since, why: message });
  } else if (was) {
    log.info(`a ${noun} is no longer stuck`, { kind: was.kind, reason: was.reason, since: was.since });
  }
}

function isTold(finding: Finding | undefined): finding is Finding {
  return finding?.state === "stuck" && finding.silencedUntil === undefined;
}
