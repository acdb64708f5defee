import { seededRandom } from "../../src/base/index.ts";
import { type Env, KubeClient, LeaderElector, type LiveReader, Manager, type Writer } from "stalewatch";
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
  /** Its manager runs. */
  isWorking = false;
  readonly #stop: AbortController = new AbortController();
  readonly #env: Partial<Env>;
  readonly #options: ProcessOptions;

  constructor(world: World, options: ProcessOptions = {}) {
    this.transport = new MortalTransport(world.cluster.transport(), () => this.#stop.abort());
    this.#env = { clock: world.clock, random: seededRandom(options.seed ?? 1) };
    this.#options = options;
    const { signal } = this.#stop;
    this.ended = (options.elects ? this.#stand(signal) : this.#work(signal)).catch((error: unknown) => error);
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

  async #stand(signal: AbortSignal): Promise<void> {
    const client = this.#client("election");
    const lease = { namespace: "default", name: "job-runner" };
    const elector = new LeaderElector({ client, lease, env: this.#env });
    await elector.run({
      signal,
      lead: (signal) => this.#work(signal, () => elector.requireLeadership()),
    });
  }

  async #work(signal: AbortSignal, beforeSend?: () => void): Promise<void> {
    const env = this.#env;
    const client = this.#client("requests");
    const manager = new Manager({
      controllers: [jobRunner(env)],
      client: beforeSend ? checked(client, beforeSend) : client,
      env,
      ...(this.#options.ungated && { featureGates: "StaleControllerConsistencyTerraformRun=false" }),
    });
    this.isWorking = true;
    try {
      await manager.run({ signal });
    } finally {
      this.isWorking = false;
    }
  }

  #client(pool: "requests" | "election"): KubeClient {
    return new KubeClient({ transport: this.transport, env: this.#env, pool });
  }
}

/** A client whose writes are sent only if `beforeSend` does not throw. */
function checked(client: LiveReader & Writer, beforeSend: () => void): LiveReader & Writer {
  return {
    get: (...call) => client.get(...call),
    list: (...call) => client.list(...call),
    watch: (...call) => client.watch(...call),
    create: (resource, draft, options) => client.create(resource, draft, { ...options, beforeSend }),
    update: (resource, object, options) => client.update(resource, object, { ...options, beforeSend }),
    patch: (resource, ref, patch, options) => client.patch(resource, ref, patch, { ...options, beforeSend }),
    delete: (resource, ref, options) => client.delete(resource, ref, { ...options, beforeSend }),
  };
}
