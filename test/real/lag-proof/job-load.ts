import { type ClusterAccess, Kubelet, pause } from "../harness/index.ts";
import { createJob } from "../jobs.ts";

const NAMESPACE = "default";
const EVERY_MS = 750;

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/main" }] } };
const neverDue = { suspend: true, schedule: "0 0 1 1 *", jobTemplate: { spec: { template } } };

/**
 * Jobs of two pods that succeed, one after the other; they are deleted soon after their end. And a CronJob that is edited as often, since
 * the sidecar has a watch of that kind from its start, by which a cache that stands still from before is known only after a minute.
 */
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
    const cronJobs = `/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs`;
    await access.raw.post(cronJobs, { metadata: { name: "load" }, spec: neverDue });
    const spec = { parallelism: 2, completions: 2, ttlSecondsAfterFinished: 5 };
    for (let made = 0; !this.#stopping.signal.aborted; made += 1) {
      await createJob(access, NAMESPACE, `load-${made}`, spec);
      await access.raw.patch(`${cronJobs}/load`, { metadata: { labels: { made: String(made) } } });
      await pause(EVERY_MS);
    }
  }
}
