import type { ClusterAccess } from "./cluster-access.ts";
import { Daemon, freePort } from "./daemon.ts";
import { RawClient } from "./raw-client.ts";
import { requireTool } from "./tools.ts";

export interface ControllerManagerOptions {
  /** As --controllers takes them; those that are on by default unless given. */
  controllers?: readonly string[];
  /** Where it finds the API server: a DelayingProxy may stand in front of it. */
  server?: string;
  /** One that was killed holds the lease for 15 s. */
  leaderElect?: boolean;
}

/** A kube-controller-manager with admin's rights; it serves with a certificate of the cluster's authority. */
export class ControllerManager implements AsyncDisposable {
  readonly url: string;
  readonly #daemon: Daemon;
  readonly #client: RawClient;

  private constructor(daemon: Daemon, client: RawClient) {
    this.#daemon = daemon;
    this.#client = client;
    this.url = client.server;
  }

  /** Resolves once it is healthy, which says nothing of its caches. */
  static async start(access: ClusterAccess, options: ControllerManagerOptions = {}): Promise<ControllerManager> {
    const { controllers = ["*"], server = access.server, leaderElect = false } = options;
    const port = await freePort();
    const kubeconfig = access.kubeconfig({ server });
    const { certFile, keyFile } = access.authority.issue("kube-controller-manager");
    const daemon = new Daemon({
      name: "kube-controller-manager",
      command: requireTool("kube-controller-manager"),
      directory: access.directory,
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        `--controllers=${controllers.join(",")}`,
        "--bind-address=127.0.0.1",
        `--secure-port=${port}`,
        `--tls-cert-file=${certFile}`,
        `--tls-private-key-file=${keyFile}`,
        `--leader-elect=${leaderElect}`,
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        `--root-ca-file=${access.authority.ca.certFile}`,
        `--service-account-private-key-file=${access.authority.tokenKey().keyFile}`,
      ],
    });
    const client = new RawClient(`https://127.0.0.1:${port}`, access.authority.ca.cert, access.admin);
    const manager = new ControllerManager(daemon, client);
    await daemon.whenReady(async () => (await client.exchange("GET", "/healthz")).status === 200);
    return manager;
  }

  /** Its page in the text format. */
  async metrics(): Promise<string> {
    const { status, body } = await this.#client.exchange("GET", "/metrics");
    if (status !== 200) throw new Error(`${this.url}/metrics: ${status}`);
    return body.toString();
  }

  async kill(): Promise<void> {
    this.#client.close();
    await this.#daemon.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
