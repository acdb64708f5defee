import { StalewatchError } from "../base/index.ts";
import type { Lister } from "../cache/index.ts";
import type { LiveReader, Writer } from "../kube/index.ts";
import { ActiveJobRequeue, LagRequeue, Requeue } from "../requeue/index.ts";
import {
  type DeepReadonly,
  isFinishedJob,
  type Job,
  keyOf,
  type KubeObject,
  type Resource,
  resourceName,
  resources,
} from "../resources/index.ts";
import { type Counter, type Env, type Histogram, resolveEnv, type Span } from "../telemetry/index.ts";
import { Clearance } from "./clearance.ts";
import type { LagConventions } from "./lag-conventions.ts";
import { belongsTo, type Finding, LiveEvidence } from "./live-evidence.ts";
import { type CheckVerdict, type LagCheck, lagChecksTotal, lagCheckSeconds } from "./metrics.ts";
import { patchAsRead } from "./patch-as-read.ts";

/** The part of a pass that the guard uses; any `Pass` will do. */
export interface LagPass<T extends KubeObject> {
  readonly object: DeepReadonly<T>;
  readonly cached: <O extends KubeObject>(resource: Resource<O>) => Lister<O>;
  readonly live: Pick<LiveReader, "get" | "list">;
  readonly write: Pick<Writer, "patch">;
  readonly span: Span;
}

/**
 * What a pass that believes that no Job runs may do.
 * `running`: the cache itself shows a Job of the object at work. `lag`: the API server has one that the cache does not show.
 * `gone`: what pointed at a Job points at none any more. `none`: nothing points at one. Only the last two give a clearance.
 */
export type LagVerdict<T extends KubeObject> =
  | { readonly verdict: "running"; readonly job: string; readonly requeue: Requeue; readonly clear?: undefined }
  | {
      readonly verdict: "lag";
      readonly check: LagCheck;
      readonly job: string;
      readonly requeue: Requeue;
      readonly clear?: undefined;
    }
  | { readonly verdict: "gone" | "none"; readonly clear: Clearance<T>; readonly requeue?: undefined };

export interface LagGuardOptions<T extends KubeObject> {
  /** Its name in metrics. */
  controller: string;
  resource: Resource<T>;
  conventions: LagConventions<T>;
  env?: Partial<Env>;
}

interface Check {
  readonly verdicts: Readonly<Record<CheckVerdict, Counter>>;
  readonly seconds: Histogram;
}

/**
 * Keeps a pass from taking a cache that trails the API server for the truth. A pass that finds no running Job in its cache asks it
 * before it clears what stands for one: a mark, the Job that status names, a deleting object's finalizer.
 * ```ts
 * const lag = await guard.check(pass);
 * if (lag.requeue) return lag.requeue;
 * return (await lag.clear.status({ activeJob: null })) ?? (await lag.clear.annotations(BLOCK_MOVE));
 * ```
 * Promises: no clearance while the API server has a Job that status names, or a Job of the object that holds its live run lease,
 * and the cache does not show it; an object without mark, named Job and deletion costs no call. The same on a paused object: it
 * knows of no pause. Fails closed: a read that fails ends the pass with its error, and nothing is cleared.
 * Does not promise anything against another process that starts Jobs for the same object at the same time: leader election does.
 * Job names must not be used twice.
 */
export class LagGuard<T extends KubeObject> {
  readonly #resource: Resource<T>;
  readonly #conventions: LagConventions<T>;
  readonly #env: Env;
  readonly #checks: Readonly<Record<LagCheck, Check>>;

  constructor({ controller, resource, conventions, env }: LagGuardOptions<T>) {
    this.#resource = resource;
    this.#conventions = conventions;
    this.#env = resolveEnv(env);
    const { meter } = this.#env;
    const check = (check: LagCheck): Check => {
      const of = (verdict: CheckVerdict): Counter =>
        meter.counter(lagChecksTotal).labels({ controller, check, verdict });
      const verdicts = { lag: of("lag"), gone: of("gone"), none: of("none") };
      return { verdicts, seconds: meter.histogram(lagCheckSeconds).labels({ controller, check }) };
    };
    this.#checks = { active_job: check("active_job"), run_lease: check("run_lease") };
  }

  /**
   * Both checks, the second only where its answer matters. Errors: those of the live reads; `BAD_CONVENTIONS` when `ownerLabels`
   * names none, so that every Job would be the object's.
   */
  async check(pass: LagPass<T>): Promise<LagVerdict<T>> {
    const { object, live, write } = pass;
    const listed = this.#jobsOf(object, pass.cached(resources.jobs));
    const running = listed.find(({ runs }) => runs);
    if (running) {
      return { verdict: "running", job: running.job.metadata.name, requeue: Requeue.after(ActiveJobRequeue) };
    }
    const conventions = this.#conventions;
    const evidence = new LiveEvidence({ conventions, object, live, listed: listed.map(({ job }) => job) });

    const asks = evidence.unlistedActiveJob !== undefined;
    const active = await this.#run({ check: "active_job", pass, asks }, () => evidence.activeJob());
    if (active.verdict === "lag") return lagging("active_job", active.job);
    const resource = this.#resource;
    if (!evidence.leaseMatters) {
      return { verdict: active.verdict, clear: new Clearance({ resource, object, write, leaseIsLive: false }) };
    }
    const now = this.#env.clock.now();
    const lease = await this.#run({ check: "run_lease", pass, asks: true }, () => evidence.runLease(now));
    if (lease.verdict === "lag") return lagging("run_lease", lease.job);
    const clear = new Clearance({ resource, object, write, leaseIsLive: lease.isLive });
    return { verdict: active.verdict === "gone" ? "gone" : lease.verdict, clear };
  }

  /**
   * Removes annotations that have served their purpose. They stand for no Job, so nothing is checked; undefined when done, or
   * `LagRequeue` when the object has changed since it was cached: they may ask for something else by now.
   */
  async consume({ object, write }: LagPass<T>, ...names: readonly string[]): Promise<Requeue | undefined> {
    const { metadata } = object;
    if (!names.some((name) => metadata.annotations?.[name] !== undefined)) return undefined;
    const body = { metadata: { annotations: Object.fromEntries(names.map((name) => [name, null])) } };
    const answer = await patchAsRead(write, { resource: this.#resource, metadata, body });
    return answer instanceof Requeue ? answer : undefined;
  }

  /** The object's Jobs in the cache. One whose status cannot be read may run. */
  #jobsOf(object: DeepReadonly<T>, jobs: Lister<Job>): { job: DeepReadonly<Job>; runs: boolean }[] {
    const labels = this.#conventions.ownerLabels(object);
    const [first] = Object.entries(labels);
    if (!first) {
      const name = `${resourceName(this.#resource)} ${keyOf(object.metadata)}`;
      throw new StalewatchError("BAD_CONVENTIONS", `the Jobs of ${name} have no labels`, "name them in ownerLabels");
    }
    return jobs
      .byLabel(...first)
      .filter((job) => job.metadata.namespace === object.metadata.namespace && belongsTo(job, labels))
      .map((job) => ({ job, runs: jobs.unreadable(job.metadata) !== undefined || !isFinishedJob(job) }));
  }

  /** Counts a check; times and traces it if it asks the API server. */
  async #run(
    { check, pass, asks }: { check: LagCheck; pass: LagPass<T>; asks: boolean },
    find: () => Promise<Finding>,
  ): Promise<Finding> {
    const { verdicts, seconds } = this.#checks[check];
    const { clock, tracer } = this.#env;
    const span = asks ? tracer.startSpan(`lag check ${check}`, { parent: pass.span }) : undefined;
    const startedAt = clock.monotonic();
    try {
      const finding = await find();
      verdicts[finding.verdict].inc();
      const job = finding.verdict === "lag" ? finding.job : undefined;
      span?.set({ "stalewatch.lag.verdict": finding.verdict, "stalewatch.lag.job": job });
      if (asks) seconds.observe((clock.monotonic() - startedAt) / 1_000, span?.context);
      if (job) pass.span.set({ "stalewatch.lag.check": check, "stalewatch.lag.job": job });
      return finding;
    } catch (thrown) {
      span?.fail(thrown);
      throw thrown;
    } finally {
      span?.end();
    }
  }
}

function lagging(check: LagCheck, job: string): LagVerdict<never> {
  return { verdict: "lag", check, job, requeue: Requeue.after(LagRequeue) };
}
