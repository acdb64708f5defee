import { seededRandom, sleep } from "../../src/base/index.ts";
import { LeaderElector, type LeaderElectorOptions } from "../../src/election/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { type DeepReadonly, type Lease, resources } from "../../src/resources/index.ts";
import type { Env, LogFields } from "../../src/telemetry/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { SimulatedProcess } from "./simulated-process.ts";

export const LEASE: { namespace: string; name: string } = { namespace: "default", name: "lock" };
/** What leaders write to. */
const TARGET = { namespace: "default", name: "target" };

export interface CandidateOptions extends Partial<Pick<LeaderElectorOptions, "identity" | "leaseDurationMs">> {
  meter?: Env["meter"];
  /** What it does after it was told to stop, before it has stopped. */
  drain?: (lost: AbortSignal) => Promise<void>;
  /** How often it writes while it leads; never unless given. */
  writeEveryMs?: number;
}

/** One elector in a process of its own. */
export class Candidate {
  readonly process: SimulatedProcess;
  readonly elector: LeaderElector;
  readonly lines: { message: string; fields: LogFields }[] = [];
  /** Settles as `run` of the elector does, with its error as a value. */
  readonly ended: Promise<unknown>;
  /** The lead callback has begun and not ended. */
  leads = false;
  over = false;
  lost: unknown;
  readonly #stop = new AbortController();
  readonly #options: CandidateOptions;
  readonly #client: KubeClient;

  constructor(election: Election, options: CandidateOptions) {
    this.#options = options;
    const { clock, cluster } = election;
    this.process = new SimulatedProcess(clock, cluster.transport(), ({ method, path }) => {
      if (method === "PATCH" && path.includes("configmaps")) election.noteWrite(this);
      election.look();
    });
    const note = (message: string, fields: LogFields = {}): void => void this.lines.push({ message, fields });
    const log = { debug: note, info: note, warn: note, error: note };
    const random = seededRandom(election.nextSeed());
    const env = { clock: this.process, random, log, ...(options.meter && { meter: options.meter }) };
    this.#client = new KubeClient({ transport: this.process, env });
    const client = new KubeClient({ transport: this.process, env, pool: "election" });
    this.elector = new LeaderElector({ client, lease: LEASE, env, ...options });
    this.ended = this.elector
      .run({ signal: this.#stop.signal, lead: (signal, lost) => this.#lead(signal, lost) })
      .catch((error: unknown) => error)
      .finally(() => {
        this.over = true;
      });
  }

  get identity(): string {
    return this.elector.identity;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #lead(signal: AbortSignal, lost: AbortSignal): Promise<void> {
    this.leads = true;
    lost.addEventListener("abort", () => {
      this.lost = lost.reason;
    });
    try {
      await this.#write(signal);
      await this.#options.drain?.(lost);
    } finally {
      this.leads = false;
    }
  }

  /** Without regard to the outcome of a write: a leader that is refused tries again. */
  async #write(signal: AbortSignal): Promise<void> {
    const { writeEveryMs } = this.#options;
    if (writeEveryMs === undefined) return new Promise((end) => signal.addEventListener("abort", () => end()));
    const patch = { type: "merge", body: { data: { by: this.identity } } } as const;
    const beforeSend = (): void => this.elector.requireLeadership();
    while (!signal.aborted) {
      await sleep(this.process, writeEveryMs, signal).catch(() => {});
      // Another signal on purpose: only `beforeSend` holds this write back.
      await this.#client.patch(resources.configMaps, TARGET, patch, { beforeSend }).catch(() => {});
    }
  }
}

/** Candidates for one lease on one API server in virtual time, and what must never be seen of them. */
export class Election implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly cluster: EmbeddedCluster;
  readonly candidates: Candidate[] = [];
  /** Each moment at which two might have written, or somebody wrote who did not hold the lease. */
  readonly wrongs: string[] = [];
  writes = 0;
  #seed: number;

  private constructor(clock: VirtualClock, cluster: EmbeddedCluster, seed: number) {
    this.clock = clock;
    this.cluster = cluster;
    this.#seed = seed;
  }

  static async start(seed = 1): Promise<Election> {
    const clock = new VirtualClock();
    const cluster = await EmbeddedCluster.start({ clock });
    cluster.objects.create(resources.configMaps, { metadata: TARGET });
    return new Election(clock, cluster, seed);
  }

  /** Starts a candidate and lets it do what takes no time. */
  async stand(identity: string, options: CandidateOptions = {}): Promise<Candidate> {
    const candidate = new Candidate(this, { identity, ...options });
    this.candidates.push(candidate);
    await this.pass(0);
    return candidate;
  }

  /** Lets time pass, looking often. */
  async pass(ms: number): Promise<void> {
    const target = this.clock.monotonic() + ms;
    for (let left = ms; left >= 0; left = target - this.clock.monotonic()) {
      await this.clock.advance(Math.min(left, 250));
      this.look();
      if (left === 0) return;
    }
  }

  get lease(): DeepReadonly<Lease> | undefined {
    return this.cluster.objects.get(resources.leases, LEASE);
  }

  get holder(): string | undefined {
    return this.lease?.spec.holderIdentity;
  }

  leaders(): string[] {
    return this.candidates.filter(({ leads }) => leads).map(({ identity }) => identity);
  }

  look(): void {
    const able = this.candidates.filter(({ elector }) => elector.mayWrite()).map(({ identity }) => identity);
    if (able.length > 1) this.wrongs.push(`${this.clock.monotonic()}: ${able.join(" and ")} may write`);
  }

  noteWrite({ identity }: Candidate): void {
    this.writes += 1;
    if (this.holder !== identity) {
      this.wrongs.push(`${this.clock.monotonic()}: ${identity} writes, "${this.holder}" holds the lease`);
    }
  }

  nextSeed(): number {
    this.#seed += 1;
    return this.#seed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.candidates) {
      process.network = "fine";
      process.resume();
    }
    for (const candidate of this.candidates) candidate.stop();
    await this.pass(60_000);
    await this.cluster[Symbol.asyncDispose]();
  }
}
