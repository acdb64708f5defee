import { type Clock, type Random, type Transport } from "../../src/base/index.ts";
import { Informer } from "../../src/cache/index.ts";
import { HeadWatch } from "../../src/head/index.ts";
import { KubeClient, type ListerWatcher } from "../../src/kube/index.ts";
import { CacheLag, type LagAnswer } from "../../src/lag/index.ts";
import { compareVersions, type Resource, resources } from "../../src/resources/index.ts";
import { type Env, resolveEnv } from "../../src/telemetry/index.ts";
import type { Commit, EmbeddedCluster } from "../../src/testing/index.ts";
import { lateWatches } from "./late-watches.ts";

// One random history of an embedded cluster, with the real watches over byte streams, judged by the cluster's own record.

export interface TrialOptions {
  readonly cluster: EmbeddedCluster;
  /** A way to one of its API servers. */
  readonly transport: (replica: number) => Transport;
  readonly random: Random;
  readonly sightings: number;
  readonly probeIntervalMs: number;
  /** Lets as much time pass as stands for this much. */
  readonly wait: (ms: number) => Promise<void>;
  /** What `wait` would have to be told for a millisecond of the cluster's clock. */
  readonly scale: number;
  /** Whether time passes as `wait` says and not otherwise: then it can be told how wide bounds may be. */
  readonly isVirtual: boolean;
  /** Rollbacks at most: each costs the time in which API servers start again. */
  readonly mostRollbacks: number;
}

export interface Outcome {
  readonly faults: readonly string[];
  readonly sightings: number;
  readonly answered: number;
  /** Answers of trials in which the server is read, and those of them that have an upper bound. */
  readonly withReads: number;
  readonly finite: number;
  /** Answers whose lower bound, and whose width, was held against what it has to be. */
  readonly lowerChecked: number;
  readonly widthChecked: number;
}

/** From the read that a closing bookmark confirms until that bookmark, and a little: as docs/lag.md has it. */
const CLOSING_MS = 3_000;
/** Wall times have no finer steps than a few thousandths of this. */
const ROUNDING_MS = 0.01;

interface Sight {
  readonly version: string;
  readonly sentAt: number;
  readonly missed: Commit | undefined;
}

const POD = { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/main" }] };
const LABELS = [{ tier: "a" }, { tier: "b" }];

export async function clusterTrial(seed: number, options: TrialOptions): Promise<Outcome> {
  const trial = new ClusterTrial(options);
  const outcome = await trial.run();
  return { ...outcome, faults: outcome.faults.map((fault) => `${seed}: ${fault}`) };
}

class ClusterTrial {
  readonly #options: TrialOptions;
  readonly #random: Random;
  readonly #reads: boolean;
  readonly #filtered: boolean;
  /** Nothing breaks but the cache. */
  readonly #healthy: boolean;
  readonly #prompt: boolean;
  readonly #client: KubeClient;
  readonly #head: HeadWatch;
  readonly #informer: Informer;
  readonly #lag: CacheLag;
  readonly #stop = new AbortController();
  readonly #selected: Set<string> = new Set();
  readonly #faults: string[] = [];
  /** When each version came over the watch beside the cache, by the cluster's clock; more than once after a rollback. */
  readonly #arrivals: Map<string, number[]> = new Map();
  /** The cluster's record of the kind, also of what it has forgotten since. */
  #commits: Commit[] = [];
  /** How far the observer's wall clock has been set, of which the cluster knows nothing. */
  #shiftedMs = 0;
  #cacheDelayMs = 0;
  #made = 0;
  #rollbacks = 0;
  #tally = { answered: 0, withReads: 0, finite: 0, lowerChecked: 0, widthChecked: 0 };

  constructor(options: TrialOptions) {
    const { cluster, transport, random, probeIntervalMs } = options;
    this.#options = options;
    this.#random = random;
    this.#reads = random() < 0.8;
    this.#filtered = random() < 0.2;
    this.#healthy = random() < 0.2;
    this.#prompt = random() < 0.8;
    const clock: Clock = {
      now: () => cluster.clock.now() + this.#shiftedMs,
      monotonic: () => cluster.clock.monotonic(),
      setTimer: (run, delayMs, how) => cluster.clock.setTimer(run, delayMs, how),
    };
    const env: Env = resolveEnv({ clock, random });
    const { length } = cluster.replicas;
    const late = lateWatches(transport(this.#between(0, length)), clock, () => this.#cacheDelayMs);
    this.#client = new KubeClient({ transport: transport(this.#between(0, length)), env, qps: 1_000, burst: 1_000 });
    const scope = this.#filtered ? { labelSelector: "tier=a" } : {};
    const resource = resources.jobs as Resource;
    this.#informer = new Informer({ client: new KubeClient({ transport: late, env }), resource, scope, env });
    this.#head = new HeadWatch({
      client: this.#heard(this.#client),
      resource,
      probeIntervalMs: this.#reads ? probeIntervalMs : 0,
      prompt: this.#prompt,
      env,
    });
    const known = this.#filtered ? "unknown" : "same";
    this.#lag = new CacheLag({ head: this.#head, budgetMs: 30_000, reads: this.#reads, scope: known, clock });
  }

  async run(): Promise<Outcome> {
    const { sightings, wait } = this.#options;
    const { signal } = this.#stop;
    const running = [this.#head.run({ signal }), this.#informer.run({ signal })];
    await this.#until(() => this.#informer.hasSynced() && this.#head.doubt === undefined);
    const mishaps = this.#mishaps();
    for (let i = 0; i < sightings; i += 1) {
      await mishaps[this.#between(0, mishaps.length + 2)]?.();
      for (let writes = this.#between(0, 6); writes > 0; writes -= 1) {
        this.#write();
        await wait(this.#between(0, 10) * this.#between(0, 700));
      }
      await wait(this.#between(0, 40_000));
      this.#sight();
    }
    this.#stop.abort();
    await wait(1_000);
    await Promise.all(running);
    return { ...this.#tally, sightings, faults: this.#faults };
  }

  #mishaps(): readonly (() => void | Promise<void>)[] {
    const { cluster, scale } = this.#options;
    const { faults } = cluster;
    const { jobs } = resources;
    const scaled = (low: number, high: number): number => this.#between(low, high) * scale;
    const harmless = [
      () => void (this.#cacheDelayMs = scaled(0, 600_000) * this.#random()),
      () => void (this.#cacheDelayMs = 0),
      () => this.#heartbeat(),
      () => void (this.#shiftedMs += this.#between(-3_600_000, 3_600_000)),
    ];
    if (this.#healthy) return harmless;
    return [
      ...harmless,
      () => faults.delay(jobs, scaled(0, 30_000)),
      () => faults.delay(jobs, 0),
      () => faults.withholdBookmarks(jobs, this.#random() < 0.5),
      () => faults.breakWatches(jobs),
      () => faults.halfOpen(jobs),
      () => {
        this.#note();
        cluster.compact();
      },
      () => {
        for (const replica of cluster.replicas) replica.lagMs = scaled(0, 2_000) * this.#between(0, 2);
      },
      () => this.#rollback(),
    ];
  }

  /** The same client, with a record of what came over its watches. */
  #heard(client: ListerWatcher): ListerWatcher {
    const { clock } = this.#options.cluster;
    const arrivals = this.#arrivals;
    return {
      list: (resource, options) => client.list(resource, options),
      async *watch(resource, options) {
        for await (const chunk of client.watch(resource, options)) {
          yield chunk; // written down once it was taken: no earlier than whoever asked for it could
          for (const event of chunk) {
            const version = event.type === "BOOKMARK" ? undefined : event.object?.metadata.resourceVersion;
            if (version !== undefined) arrivals.set(version, [...(arrivals.get(version) ?? []), clock.now()]);
          }
        }
      },
    };
  }

  #write(): void {
    const { objects } = this.#options.cluster;
    if (this.#random() < 0.5) objects.create(resources.jobs, this.#draft());
    else objects.create(resources.configMaps, this.#draft());
  }

  #draft(): { metadata: { name: string; namespace: string; labels: Record<string, string> } } {
    this.#made += 1;
    const name = `o${this.#made}`;
    const labels = LABELS[this.#between(0, LABELS.length)] as (typeof LABELS)[number];
    if (!this.#filtered || labels.tier === "a") this.#selected.add(`default/${name}`);
    return { metadata: { name, namespace: "default", labels } };
  }

  /** A write of the observer's own, whose answer it takes for a read. */
  async #heartbeat(): Promise<void> {
    const { clock } = this.#options.cluster;
    if (!this.#reads || this.#head.doubt !== undefined) return;
    const newestBefore = this.#head.table.newest;
    const sentAt = clock.monotonic();
    const { signal } = this.#stop;
    let isAnswered = false;
    const draft = { ...this.#draft(), spec: { template: { spec: POD } } };
    const writing = (async () => {
      const { metadata } = await this.#client.create(resources.jobs, draft, { signal });
      this.#head.written({ version: metadata.resourceVersion, sentAt, answeredAt: clock.monotonic(), newestBefore });
      isAnswered = true;
    })();
    await this.#until(() => isAnswered);
    await writing;
  }

  async #rollback(): Promise<void> {
    const { cluster, mostRollbacks } = this.#options;
    const before = cluster.commits(resources.jobs);
    const to = before[Math.max(0, before.length - this.#between(1, 6))]?.version;
    if (to === undefined || this.#rollbacks === mostRollbacks) return;
    this.#rollbacks += 1;
    this.#note();
    cluster.faults.rollback(to);
    this.#commits = this.#commits.filter(({ version }) => compareVersions(version, to) !== 1);
    // While API servers start again nobody writes.
    await this.#options.wait(40_000);
    await this.#until(() => this.#head.doubt === undefined);
  }

  /** With a virtual clock nothing happens while nobody waits. */
  async #until(isDone: () => boolean): Promise<void> {
    for (let left = 1_000; left > 0 && !isDone(); left -= 1) await this.#options.wait(1_000);
    if (!isDone()) throw new Error("it was never done");
  }

  #note(): void {
    const last = this.#commits.at(-1)?.version;
    const isNews = ({ version }: Commit): boolean => last === undefined || compareVersions(version, last) === 1;
    this.#commits.push(...this.#options.cluster.commits(resources.jobs).filter(isNews));
  }

  #sight(): void {
    const { clock } = this.#options.cluster;
    const sentAt = clock.monotonic();
    const version = this.#informer.lastStoreSyncResourceVersion();
    const takenAt = clock.now();
    const answer = this.#lag.observe({ version, sentAt, receivedAt: clock.monotonic() });
    if (answer.minMs === undefined) return; // in doubt, or of a history that is gone
    this.#note();
    const missed = this.#commits.find(
      (commit) => this.#selected.has(commit.key) && compareVersions(commit.version, version) === 1,
    );
    this.#judge(answer, missed ? takenAt - missed.at : 0);
    if (!this.#filtered) this.#judgeWhole(answer, { version, sentAt, missed });
  }

  #judge({ minMs = 0, maxMs, state }: LagAnswer, truth: number): void {
    this.#tally.answered += 1;
    if (this.#reads) this.#tally.withReads += 1;
    if (maxMs !== undefined) this.#tally.finite += 1;
    const isFalse = minMs > truth || truth > (maxMs ?? Infinity);
    const isUnfounded = !this.#reads && maxMs !== undefined;
    if (isFalse || isUnfounded) this.#faults.push(`${minMs} ${truth} ${maxMs} ${state}`);
  }

  /** Of a cache of the whole kind: the lower bound lacks nothing but the observer's own delay, and the bounds are near. */
  #judgeWhole({ minMs = 0, maxMs }: LagAnswer, { version, sentAt, missed }: Sight): void {
    const { isVirtual, probeIntervalMs, cluster } = this.#options;
    const view = this.#head.table.view();
    const arrivedAt = missed && this.#arrivals.get(missed.version)?.find((at) => at >= missed.at);
    if (view && arrivedAt !== undefined && BigInt(version) >= view.start && sentAt >= view.beganAt) {
      this.#tally.lowerChecked += 1;
      const agoMs = cluster.clock.now() - arrivedAt - (cluster.clock.monotonic() - sentAt);
      if (minMs < agoMs - ROUNDING_MS) this.#faults.push(`too low: ${minMs}, and it came ${agoMs} ago`);
    }
    if (!isVirtual || !this.#healthy || !this.#prompt || maxMs === undefined || !this.#reads) return;
    this.#tally.widthChecked += 1;
    if (maxMs - minMs > probeIntervalMs + CLOSING_MS) this.#faults.push(`too wide: ${minMs} ${maxMs}`);
  }

  #between(low: number, high: number): number {
    return Math.floor(low + this.#random() * (high - low));
  }
}

export function sumOf(outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number {
  return outcomes.reduce((total, outcome) => total + of(outcome), 0);
}
