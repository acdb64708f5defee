import { seededRandom } from "../../src/base/index.ts";
import { type Env, KubeClient, Manager } from "stalewatch";
import { jobRunner } from "../../examples/job-runner/job-runner.ts";
import { MortalTransport } from "./mortal-transport.ts";
import type { World } from "./world.ts";

export interface ProcessOptions {
  /** Stand for election and run only while leading. Runs at once unless given. */
  elects?: true;
  /** Passes do not wait for their own writes, as before Kubernetes 1.36: the lag checks are all there is. */
  ungated?: true;
  seed?: number;
}

/** One process of the example, which can die. */
export class RunnerProcess {
  readonly transport: MortalTransport;
  /** Settles when it has come to its end, with what it ended with. */
  readonly ended: Promise<unknown>;
  readonly #stop: AbortController = new AbortController();
  readonly #manager: Manager;

  constructor(world: World, { elects, ungated, seed = 1 }: ProcessOptions = {}) {
    const transport = new MortalTransport(world.cluster.transport(), () => this.#stop.abort());
    const env: Partial<Env> = { clock: world.clock, random: seededRandom(seed) };
    const elections = new KubeClient({ transport, env, pool: "election" });
    this.transport = transport;
    this.#manager = new Manager({
      controllers: [jobRunner(env)],
      client: new KubeClient({ transport, env }),
      syncPeriod: "2m",
      env,
      ...(elects && { leaderElection: { client: elections, lease: { namespace: "default", name: "job-runner" } } }),
      ...(ungated && { featureGates: "StaleControllerConsistencyTerraformRun=false" }),
    });
    this.ended = this.#manager.run({ signal: this.#stop.signal }).catch((error: unknown) => error);
  }

  /** Its controller makes passes. */
  get isWorking(): boolean {
    return this.#manager.status().state === "running";
  }

  /** Asks it to stop, as SIGTERM does. */
  stop(): Promise<unknown> {
    this.#stop.abort();
    return this.ended;
  }

  /** SIGKILL. */
  kill(): Promise<unknown> {
    this.transport.kill();
    return this.ended;
  }
}
