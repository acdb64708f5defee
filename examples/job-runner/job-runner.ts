import {
  addFinalizer,
  type Clearance,
  Controller,
  type DeepReadonly,
  type Env,
  GateRequeue,
  hasFinalizer,
  isConflict,
  isNotFound,
  type Job,
  type LagConventions,
  LagGuard,
  LagRequeue,
  type Lease,
  LeaseGrace,
  type Pass,
  type Requeue,
  resources,
} from "stalewatch";
import { conditionsPatch, notReady, type Readiness } from "./conditions.ts";
import { jobFor, jobName, LEASE_SECONDS, noteOf, pastJob } from "./jobs.ts";
import { dropHolder, releaseLease, takeLease } from "./leases.ts";
import { sweepOrphans } from "./orphan-sweep.ts";
import { destroyPlanOf, intervals, planOf } from "./plan.ts";
import {
  APPROVED,
  BLOCK_MOVE,
  CLUSTER,
  clusterLeaseOf,
  FINALIZER,
  inputsOf,
  MANAGED,
  type Op,
  type PastJob,
  RUN,
  runLeaseOf,
  secrets,
  stateOf,
  type TerraformRun,
  terraformRuns,
} from "./terraform-run.ts";

const NAME = "job-runner";
/** How many Jobs a status remembers. */
const HISTORY = 10;

type RunPass = Pass<TerraformRun>;

/** How runs and their Jobs are marked, for the checks of cache lag. */
const conventions: LagConventions<TerraformRun> = {
  activeJob: ({ status }) => status?.activeJob?.name,
  isMarked: ({ metadata }) => metadata.annotations?.[BLOCK_MOVE] !== undefined,
  runLease: (run) => runLeaseOf(run).name,
  ownerLabels: ({ metadata }) => ({ [RUN]: metadata.name }),
};

/** Applies, refreshes, checks and takes down what each TerraformRun stands for, by one Job at a time. */
export function jobRunner(env: Partial<Env> = {}): Controller<TerraformRun, (typeof intervals)[number]["name"]> {
  const guard = new LagGuard({ controller: NAME, resource: terraformRuns, conventions, env });
  const runner = new JobRunner(guard);
  return new Controller(NAME, {
    for: terraformRuns,
    owns: [{ resource: resources.jobs, scope: { labelSelector: `${MANAGED}=true` } }],
    intervals,
    concurrency: 10,
    reconcile: (pass) => runner.reconcile(pass),
    sweep: sweepOrphans,
  });
}

/**
 * One pass does one thing, and its own writes start the next one. What it decides, it decides on a cached object: so each write to
 * that object names the version that was read, and is refused if somebody has changed it since.
 */
class JobRunner {
  readonly #guard: LagGuard<TerraformRun>;

  constructor(guard: LagGuard<TerraformRun>) {
    this.#guard = guard;
  }

  async reconcile(pass: RunPass): Promise<Requeue | undefined> {
    try {
      return await this.#look(pass);
    } catch (error) {
      if (isConflict(error)) return pass.requeue.after(LagRequeue);
      throw error;
    }
  }

  async #look(pass: RunPass): Promise<Requeue | undefined> {
    const { object: run, cached, write } = pass;
    const isDeleting = run.metadata.deletionTimestamp !== undefined;
    if (isDeleting && !hasFinalizer(run, FINALIZER)) return undefined;
    if (!isDeleting && (await addFinalizer(write, terraformRuns, run, FINALIZER))) return undefined;

    const jobs = cached(resources.jobs).ownedBy(run);
    const lag = await this.#guard.check(pass);
    if (lag.verdict === "running") await this.#nameActiveJob(pass, jobs, lag.job);
    if (lag.requeue) return lag.requeue;

    // No Job of this run is at work: that is certain from here on, and so is `lag.clear`.
    const ended = this.#endedJobs(pass, jobs);
    if (ended.length > 0) return this.#account(pass, lag.clear, ended);
    if (conventions.isMarked(run)) return lag.clear.annotations(BLOCK_MOVE);
    if (run.spec.paused) return this.#wait(pass, notReady("Paused", "spec.paused is set"));
    return isDeleting ? this.#cleanUp(pass, lag.clear) : this.#advance(pass);
  }

  /** For when the pass that created the Job did not live to say so in the status. */
  async #nameActiveJob(
    { object: run, write }: RunPass,
    jobs: readonly DeepReadonly<Job>[],
    name: string,
  ): Promise<void> {
    const job = jobs.find(({ metadata }) => metadata.name === name);
    if (!job || run.status?.activeJob?.name === name) return;
    const { resourceVersion } = run.metadata;
    await write.patchStatus(run, { activeJob: noteOf(job) }, { resourceVersion });
  }

  /** Jobs that have ended and are not in the history, newest first. The one that the status names and nobody has was deleted. */
  #endedJobs({ object: { status }, now }: RunPass, jobs: readonly DeepReadonly<Job>[]): PastJob[] {
    const newest = status?.history?.[0]?.number ?? 0;
    const ended = jobs.flatMap((job) => pastJob(job) ?? []).filter(({ number }) => number > newest);
    const named = status?.activeJob;
    if (named && !jobs.some(({ metadata }) => metadata.name === named.name)) {
      ended.push({ ...named, outcome: "interrupted", finishedAt: new Date(now()).toISOString() });
    }
    return ended.toSorted((a, b) => b.number - a.number);
  }

  async #account(pass: RunPass, clear: Clearance<TerraformRun>, ended: PastJob[]): Promise<Requeue | undefined> {
    const { object: run } = pass;
    const { history = [], succeeded = {}, appliedInputs } = run.status ?? {};
    const leases = [runLeaseOf(run), clusterLeaseOf(run)];
    for (const { name } of ended) {
      for (const ref of leases) if (ref) await releaseLease(pass, ref, name);
    }
    const successes = ended.filter(({ outcome }) => outcome === "succeeded");
    const refused = await clear.status({
      activeJob: null,
      history: [...ended, ...history].slice(0, HISTORY),
      succeeded: { ...succeeded, ...Object.fromEntries(successes.map(({ op, finishedAt }) => [op, finishedAt])) },
      appliedInputs: successes.find(({ op }) => op === "apply")?.inputs ?? appliedInputs,
    });
    if (refused) return refused;
    for (const { name, op, outcome } of ended) {
      pass.event(outcome === "succeeded" ? "Normal" : "Warning", "JobEnded", `${op} ${outcome}: Job ${name}`);
    }
    return clear.annotations(BLOCK_MOVE);
  }

  async #advance(pass: RunPass): Promise<Requeue | undefined> {
    const { object: run, now } = pass;
    const { next, readiness } = planOf(run, now());
    if (next?.start !== undefined) return this.#start(pass, next.start as Op);
    const isApplied = run.status?.appliedInputs === inputsOf(run);
    if (isApplied && run.metadata.annotations?.[APPROVED]) return this.#guard.consume(pass, APPROVED);
    return this.#wait(pass, readiness, next?.requeue);
  }

  /** A Job takes down what there is, then the run may go. An ownerless one with something to take down stays until it has an owner. */
  async #cleanUp(pass: RunPass, clear: Clearance<TerraformRun>): Promise<Requeue | undefined> {
    const { object: run, now } = pass;
    const { next, readiness } = destroyPlanOf(run, now());
    const noStateLeft = (): Promise<boolean> => this.#noStateLeft(pass);
    if (!run.metadata.ownerReferences?.length) {
      const kept = await clear.finalizerOfOwnerless(FINALIZER, noStateLeft);
      return kept && this.#wait(pass, readiness, kept);
    }
    if (await noStateLeft()) return clear.finalizer(FINALIZER);
    return next?.start === undefined ? this.#wait(pass, readiness, next?.requeue) : this.#start(pass, "destroy");
  }

  async #noStateLeft({ object: run, live }: RunPass): Promise<boolean> {
    const last = run.status?.history?.[0];
    if (last?.op === "destroy" && last.outcome === "succeeded") return true;
    try {
      await live.get(secrets, stateOf(run));
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  /** Lease, mark, Job, status: whoever comes after a crash between two of them finds the evidence of the first. */
  async #start(pass: RunPass, op: Op): Promise<Requeue | undefined> {
    const { object: run, now, write, requeue } = pass;
    const takenAt = now();
    const leases = await this.#takeLeases(pass, op);
    if (typeof leases === "string") {
      return this.#wait(pass, notReady(leases, `to ${op}`), requeue.after(GateRequeue));
    }
    const resourceVersion = await this.#mark(pass, leases);
    const draft = jobFor(run, op, leases[0].spec.leaseTransitions ?? 0);
    // A lease whose Job does not exist is held for a minute only. Whoever stood still for that long must not send the Job any more.
    const beforeSend = (): void => {
      if (now() - takenAt > LeaseGrace.ms / 2) throw new Error(`the leases of Job ${draft.metadata.name} are too old`);
    };
    const job = await write.create(resources.jobs, draft, { beforeSend });
    const running = notReady("JobRunning", `a Job is to ${op}`);
    const told = isChange(op) ? conditionsPatch(run, running, now()) : {};
    await write.patchStatus(run, { activeJob: noteOf(job), ...told }, { resourceVersion });
    pass.event("Normal", "JobStarted", `${op}: Job ${job.metadata.name}`);
    return undefined;
  }

  /** All the leases that an op needs, the run's own first; or why not. */
  async #takeLeases(pass: RunPass, op: Op): Promise<readonly [Lease, ...Lease[]] | string> {
    const { object: run, write } = pass;
    const wish = { seconds: LEASE_SECONDS, taken: run.status?.history?.[0]?.number ?? 0 };
    const own = { ...wish, ref: runLeaseOf(run), labels: { [MANAGED]: "true", [RUN]: run.metadata.name }, owned: true };
    const runLease = await takeLease(pass, { ...own, holder: (nth) => jobName(run, op, nth) });
    if (!runLease) return "WaitingForRunLease";
    const ref = isChange(op) ? clusterLeaseOf(run) : undefined;
    if (!ref) return [runLease];
    const labels = { [MANAGED]: "true", [CLUSTER]: run.spec.cluster ?? "" };
    const holder = (): string => runLease.spec.holderIdentity ?? "";
    const clusterLease = await takeLease(pass, { ...wish, ref, labels, owned: false, holder });
    if (clusterLease) return [runLease, clusterLease];
    await dropHolder(write, runLease);
    return "WaitingForClusterOperation";
  }

  /** The version that the mark makes. If it is refused, the run has changed: nobody knows whether the Job is still wanted. */
  async #mark({ object: run, write }: RunPass, leases: readonly Lease[]): Promise<string> {
    const { resourceVersion } = run.metadata;
    const body = { metadata: { annotations: { [BLOCK_MOVE]: "" } } };
    try {
      const marked = await write.patch(terraformRuns, run.metadata, { type: "merge", body }, { resourceVersion });
      return marked.metadata.resourceVersion;
    } catch (error) {
      for (const lease of leases) await dropHolder(write, lease);
      throw error;
    }
  }

  /** Tells people how things are until the next pass. */
  async #wait(
    { object: run, now, write }: RunPass,
    readiness: Readiness,
    requeue?: Requeue,
  ): Promise<Requeue | undefined> {
    const told = conditionsPatch(run, readiness, now());
    const { resourceVersion } = run.metadata;
    if (told.conditions) await write.patchStatus(run, told, { resourceVersion });
    return requeue;
  }
}

/** Whether an op may change what the other runs of its cluster build on. */
function isChange(op: Op): boolean {
  return op === "apply" || op === "destroy";
}
