import { Controller, type Pass } from "../controller/index.ts";
import type { Scope } from "../kube/index.ts";
import { defineInterval, type Interval, LagRequeue } from "../requeue/index.ts";
import { type DeepReadonly, type Job, keyOf, resources } from "../resources/index.ts";
import { type Env, type Log, resolveEnv } from "../telemetry/index.ts";
import type { Finding } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { jobOrder } from "./job-order.ts";
import type { LimitRules } from "./limits.ts";
import { Sightings } from "./sightings.ts";
import { verdictOn } from "./verdict.ts";
import type { World } from "./world.ts";

/** Every pod that a Job controller makes has this label (Kubernetes 1.27 and later), so other pods never reach the cache. */
const MADE_BY_A_JOB = "batch.kubernetes.io/job-name";

/** The next age limit of a Job falls due. Its own duration is only what is said of it: each pass asks for what is left. */
const StuckJobAge: Interval<"StuckJobAge"> = defineInterval({ name: "StuckJobAge", sort: "schedule", duration: "1m" });

export interface JobsControllerOptions {
  /** Where verdicts go. */
  findings: Findings;
  /** Label of its metrics; "jobs" unless given. */
  name?: string;
  /** All unless given. */
  namespace?: string;
  /** Passes at once; 2 unless given. */
  concurrency?: number;
  limits?: LimitRules;
  /**
   * Until when the caches are known to show what is there, wall time in milliseconds; now unless given. A cache that has lost its
   * server must not make Jobs look older than what is known of them.
   */
  seenUntil?: () => number;
  /** Told of each pass, as it begins, and the object as the cache had it. */
  onPass?: (job: DeepReadonly<Job>) => void;
  env?: Partial<Env>;
}

/**
 * Judges a Job whenever it or one of its pods changes, and again at the moment when time alone may change the verdict. Only reads.
 * A Job that is healthy whatever the time costs no timer. While a cache has lost its server, Jobs are judged as of the last contact.
 */
export function jobsController(options: JobsControllerOptions): Controller<Job, "StuckJobAge"> {
  const { findings, name = "jobs", namespace, concurrency = 2, limits = [] } = options;
  const { clock, log } = resolveEnv(options.env);
  const { seenUntil = () => clock.now(), onPass } = options;
  let judgedUntil = 0;
  const own = findings.of(resources.jobs);
  const sightings = new Sightings();
  const scope: Scope = namespace === undefined ? {} : { namespace };
  return new Controller(name, {
    for: { resource: resources.jobs, scope },
    owns: [{ resource: resources.pods, scope: { ...scope, labelSelector: MADE_BY_A_JOB } }],
    intervals: [StuckJobAge],
    concurrency,
    reconcile(pass) {
      onPass?.(pass.object);
      const wallNow = clock.now();
      // Never back: a verdict that was right when it was given stays while nothing new is known.
      judgedUntil = Math.max(judgedUntil, Math.min(wallNow, seenUntil()));
      const now = Math.min(wallNow, judgedUntil);
      const subject = { resource: resources.jobs, object: pass.object, order: jobOrder };
      const { finding, dueAt } = verdictOn(subject, cachedWorld(pass, sightings), now, limits);
      tell(pass.log, own.set(pass.key, finding), finding);
      if (dueAt === undefined) return undefined;
      if (now < wallNow && dueAt <= wallNow) return pass.requeue.after(LagRequeue);
      // A timer may come a little early by the wall clock: then a short wait is left, never none.
      return pass.requeue.after(StuckJobAge, Math.max(1, dueAt - wallNow));
    },
    gone(ref) {
      const before = own.set(keyOf(ref), undefined);
      if (before?.state === "stuck") log.info("a stuck Job was deleted", { job: keyOf(ref), kind: before.kind });
    },
  });
}

/** One line when a Job becomes stuck, changes its reason or gets worse, and one when it recovers. */
function tell(log: Log, before: Finding | undefined, after: Finding | undefined): void {
  const was = before?.state === "stuck" ? before : undefined;
  const is = after?.state === "stuck" ? after : undefined;
  if (is) {
    if (was?.kind === is.kind && was.reason === is.reason && was.severity === is.severity) return;
    const { kind, reason, severity, since, message } = is;
    log.warn("a Job is stuck", { kind, reason, severity, since, why: message });
  } else if (was) {
    log.info("a Job is no longer stuck", { kind: was.kind, reason: was.reason, since: was.since });
  }
}

/** What the caches of a pass hold; nothing is known of anything else. */
function cachedWorld(pass: Pick<Pass, "cached">, sightings: Sightings): World {
  return {
    podsOf: (uid) => pass.cached(resources.pods).ownedBy(uid),
    jobsOf: (uid) => pass.cached(resources.jobs).ownedBy(uid),
    find: () => undefined,
    byLabel: () => undefined,
    eventsAbout: () => undefined,
    ownerOf: () => undefined,
    unchangedSince: ({ metadata }, what, token, now) => sightings.unchangedSince(metadata.uid, what, token, now),
  };
}
