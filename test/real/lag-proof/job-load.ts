import { type ClusterAccess, Kubelet, pause } from "../harness/index.ts";
import { createJob } from "../jobs.ts";

const NAMESPACE = "default";
const EVERY_MS = 750;

/** Jobs of two pods that succeed, one after the other; they are deleted soon after their end. */
export class JobLoad implements AsyncDisposable {
  readonly #kubelet: Kubelet;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(access: ClusterAccess) {
    this.#kubelet = new Kubelet(access, { namespace: NAMESPACE, plan: () => ["running", "succeeded"] });
    this.#running = this.#run(access);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#kubelet.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(access: ClusterAccess): Promise<void> {
    const spec = { parallelism: 2, completions: 2, ttlSecondsAfterFinished: 5 };
    for (let made = 0; !this.#stopping.signal.aborted; made += 1) {
      await createJob(access, NAMESPACE, `load-${made}`, spec);
      await pause(EVERY_MS);
    }
  }
}
