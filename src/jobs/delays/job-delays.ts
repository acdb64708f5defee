import type { InformerEvent } from "../../cache/index.ts";
import { controllerOf, type DeepReadonly, isHeartbeat, type Job, type Pod } from "../../resources/index.ts";
import type { Occurrence } from "./delay-bounds.ts";
import { completeSince, completionOf, dueOf, isComplete, startOf } from "./job-occurrences.ts";

export type JobDelay = "job_start" | "job_completion" | "cronjob_schedule";

export interface JobDelaysOptions {
  /** What ended before is not counted: an earlier process, or nobody, has. Wall time in milliseconds. */
  readonly since: number;
  readonly podsOf: (uid: string) => readonly DeepReadonly<Pod>[];
  readonly tell: (delay: JobDelay, job: DeepReadonly<Job>, took: Occurrence) => void;
}

/** Of Jobs that wait for their pods to be known; those of others are gone, and will not be. */
const MOST_COMPLETE = 1_000;

/**
 * Finds how long Jobs took to be created, started and completed, in what happens to the caches of Jobs and pods. Each is told once: when
 * a Job first shows it. Heartbeats are nobody's Jobs.
 */
export class JobDelays {
  readonly #options: JobDelaysOptions;
  /** Complete, by uid; the cache of the pods is behind. */
  readonly #complete: Map<string, DeepReadonly<Job>> = new Map();

  constructor(options: JobDelaysOptions) {
    this.#options = options;
  }

  job(event: InformerEvent<Job>): void {
    const { object: job } = event;
    if (event.type === "delete") return void this.#complete.delete(job.metadata.uid);
    if (isHeartbeat(job)) return;
    const isSame = event.type === "update" && event.old.metadata.uid === job.metadata.uid;
    const before = isSame ? event.old : undefined;
    this.#tell("job_start", job, startOf(job), before && startOf(before));
    if (!before) this.#tell("cronjob_schedule", job, dueOf(job), undefined);
    if (!isComplete(job) || (before && isComplete(before))) return;
    if (!(Date.parse(completeSince(job) ?? "") >= this.#options.since)) return;
    this.#complete.set(job.metadata.uid, job);
    this.#look(job.metadata.uid);
    const [longest] = this.#complete.keys();
    if (longest !== undefined && this.#complete.size > MOST_COMPLETE) this.#complete.delete(longest);
  }

  pod({ type, object }: InformerEvent<Pod>): void {
    const uid = controllerOf(object)?.uid ?? "";
    // When it ended is not known any more.
    if (type === "delete") this.#complete.delete(uid);
    else this.#look(uid);
  }

  #look(uid: string): void {
    const job = this.#complete.get(uid);
    const took = job && completionOf(job, this.#options.podsOf(uid));
    if (!job || !took) return;
    this.#complete.delete(uid);
    this.#tell("job_completion", job, took, undefined);
  }

  #tell(delay: JobDelay, job: DeepReadonly<Job>, took: Occurrence | undefined, before: Occurrence | undefined): void {
    if (took && !before && took.endedAt >= this.#options.since) this.#options.tell(delay, job, took);
  }
}
