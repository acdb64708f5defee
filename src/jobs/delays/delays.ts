import { sleep } from "../../base/index.ts";
import type { HandlerRegistration, Informer } from "../../cache/index.ts";
import type { HeadSet } from "../../head/index.ts";
import {
  type DeepReadonly,
  type KubeObject,
  type ObjectMeta,
  type Pod,
  type Resource,
  resourceName,
  resources,
} from "../../resources/index.ts";
import type { Env, MetricDefinition, SpanContext } from "../../telemetry/index.ts";
import { DelayAccount, type DelayPercentiles } from "./delay-account.ts";
import { GenerationDelays, type ObservedObject } from "./generation-delays.ts";
import { type JobDelay, JobDelays } from "./job-delays.ts";
import {
  cronJobScheduleDelaySeconds,
  delayHistograms,
  jobCompletionDelaySeconds,
  jobStartDelaySeconds,
  observedGenerationDelaySeconds,
} from "./metrics.ts";

export interface DelaysOptions {
  /** Runs elsewhere. */
  readonly heads: HeadSet;
  /** Caches of the cluster, each object in at most one of a kind; more may come. */
  readonly informers: () => Iterable<Informer>;
  /** Of what API timestamps tell, only what ended since then counts. Wall time in milliseconds. */
  readonly since: number;
  readonly env: Env;
}

/** How long one thing takes in the cluster. */
export interface DelayAnswer extends DelayPercentiles {
  readonly delay: JobDelay | "observed_generation";
  /** Of the objects that wait. */
  readonly resource: Pick<Resource, "group" | "version" | "resource">;
}

const LOOK_EVERY_MS = 5_000;
/** The path of what a cache has to keep of its objects for their delay to be measured. */
export const OBSERVED_GENERATION: string = "status.observedGeneration";

/**
 * How long other people's controllers take, measured with nobody's help from what happens to the caches: a Job's creation, start and
 * completion by the timestamps of its objects, a spec's `observedGeneration` by the head table. Each is a pair of histograms, since
 * neither is known exactly: the truth lies between the two, and so does each percentile.
 */
export class Delays {
  readonly #options: DelaysOptions;
  readonly #jobDelays: JobDelays;
  readonly #jobs: Readonly<Record<JobDelay, DelayAccount>>;
  readonly #generations: Map<string, { readonly resource: Resource; readonly account: DelayAccount }> = new Map();
  readonly #followed: Map<Informer, HandlerRegistration | undefined> = new Map();

  constructor(options: DelaysOptions) {
    this.#options = options;
    const { meter } = options.env;
    const accountOf = (definition: MetricDefinition<"bound">): DelayAccount => {
      const family = meter.histogram(definition);
      return new DelayAccount(delayHistograms((labels) => family.labels(labels)));
    };
    this.#jobs = {
      cronjob_schedule: accountOf(cronJobScheduleDelaySeconds),
      job_start: accountOf(jobStartDelaySeconds),
      job_completion: accountOf(jobCompletionDelaySeconds),
    };
    this.#jobDelays = new JobDelays({
      since: Math.floor(options.since / 1_000) * 1_000,
      podsOf: (uid) => this.#podCaches().flatMap(({ lister }) => lister.ownedBy(uid)),
      tell: (delay, { metadata }, took) => {
        this.#jobs[delay].add(took, this.#trace(delay, metadata, took.beganAt, took.endedAt));
      },
    });
  }

  /** Resolves after the abort. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      for (const informer of this.#options.informers()) this.#follow(informer);
      await sleep(this.#options.env.clock, LOOK_EVERY_MS, signal).catch(() => {}); // aborted: the loop ends
    }
    for (const registration of this.#followed.values()) registration?.remove();
  }

  /** Of those that were measured at all. */
  answers(): readonly DelayAnswer[] {
    const jobs = Object.entries(this.#jobs).map(([delay, account]) => {
      return { delay: delay as JobDelay, resource: resources.jobs, account };
    });
    const generations = [...this.#generations.values()].map((kind) => {
      return { delay: "observed_generation" as const, ...kind };
    });
    return [...jobs, ...generations].flatMap(({ delay, resource, account }) => {
      const percentiles = account.percentiles();
      return percentiles ? [{ delay, resource, ...percentiles }] : [];
    });
  }

  #follow(informer: Informer): void {
    if (this.#followed.has(informer)) return;
    this.#followed.set(informer, this.#listenTo(informer));
  }

  /** Nothing is to be heard of a kind that does not say what its controller has seen. */
  #listenTo(informer: Informer): HandlerRegistration | undefined {
    const jobs = asCacheOf(informer, resources.jobs);
    if (jobs) return jobs.addHandler((event) => this.#jobDelays.job(event));
    const pods = asCacheOf(informer, resources.pods);
    if (pods) return pods.addHandler((event) => this.#jobDelays.pod(event));
    return tellsGeneration(informer.resource) ? this.#listenToGenerations(informer) : undefined;
  }

  #listenToGenerations(informer: Informer): HandlerRegistration {
    const { heads, env } = this.#options;
    const { resource, scope } = informer;
    const account = this.#accountOf(resource);
    const delays = new GenerationDelays({
      head: heads.get(resource, scope, true),
      now: () => env.clock.monotonic(),
      tell: ({ metadata }, took) => {
        const endedAt = env.clock.now();
        account.add(took, this.#trace("observed_generation", metadata, endedAt - took.maxMs, endedAt));
      },
    });
    // What is kept of a kind that tells it has the field, where an object has it.
    return (informer as Informer<ObservedObject>).addHandler((event) => delays.see(event));
  }

  /** One for the caches of all namespaces. */
  #accountOf(resource: Resource): DelayAccount {
    const name = resourceName(resource);
    const known = this.#generations.get(name)?.account;
    if (known) return known;
    const { group, version, resource: plural } = resource;
    const family = this.#options.env.meter.histogram(observedGenerationDelaySeconds);
    const account = new DelayAccount(
      delayHistograms((labels) => family.labels({ group, version, resource: plural, ...labels })),
    );
    this.#generations.set(name, { resource, account });
    return account;
  }

  #podCaches(): readonly Informer<Pod>[] {
    return [...this.#followed.keys()].flatMap((informer) => asCacheOf(informer, resources.pods) ?? []);
  }

  /** What the exemplar of a delay points at: a span as long as it, with the name of the object. */
  #trace(
    delay: string,
    metadata: DeepReadonly<ObjectMeta>,
    startTime: number,
    endTime: number,
  ): SpanContext | undefined {
    const { tracer } = this.#options.env;
    if (!tracer.enabled) return undefined;
    const { namespace, name } = metadata;
    const attributes = { "k8s.namespace.name": namespace, "stalewatch.object.name": name };
    const span = tracer.startSpan(`delay ${delay}`, { startTime, attributes });
    span.end(endTime);
    return span.context;
  }
}

function asCacheOf<T extends KubeObject>(informer: Informer, resource: Resource<T>): Informer<T> | undefined {
  const isWhole = informer.resource.metadataOnly !== true;
  // Found by the name of the resource, so it holds objects of T.
  return isWhole && resourceName(informer.resource) === resourceName(resource)
    ? (informer as unknown as Informer<T>)
    : undefined;
}

/** Whether a cache keeps `status.observedGeneration` where its objects have it. */
function tellsGeneration({ metadataOnly, shape, keep }: Resource): boolean {
  if (metadataOnly) return false;
  if (!shape) return !keep || keep.includes("status") || keep.includes(OBSERVED_GENERATION);
  const status = shape.fields.find(({ name }) => name === "status");
  return status?.shape?.fields.some(({ name }) => name === "observedGeneration") ?? false;
}
