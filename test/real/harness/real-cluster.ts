import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IncomingMessage } from "node:http";
import { Authority } from "./authority.ts";
import { ClusterAccess, type ClusterAddress, tokenIssuer } from "./cluster-access.ts";
import { ControllerManager } from "./controller-manager.ts";
import { Daemon, eventually, freePort } from "./daemon.ts";
import { requireTool } from "./tools.ts";

/** Those that make Jobs, pods, owners and namespaces behave; none that would delete pods for lack of nodes. */
const controllers = [
  "cronjob-controller",
  "garbage-collector-controller",
  "job-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "ttl-after-finished-controller",
];

export interface RealClusterOptions {
  /** false: nothing but etcd and the API server. */
  controllerManager?: boolean;
  /** Whether the API server refuses a pod whose ServiceAccount is not there. Then a new namespace has none for a moment. */
  checksServiceAccounts?: boolean;
}

/**
 * A Kubernetes control plane of this test's own on loopback: etcd, kube-apiserver and kube-controller-manager. There is no
 * scheduler and no kubelet (see kubelet.ts). Everything it starts ends with `stop`, and with the test process at the latest.
 */
export class RealCluster extends ClusterAccess implements AsyncDisposable {
  readonly #ports: Ports;
  readonly #checksServiceAccounts: boolean;
  #etcd: Daemon | undefined;
  #apiServer: Daemon | undefined;
  #controllerManager: ControllerManager | undefined;

  private constructor(address: ClusterAddress, ports: Ports, { checksServiceAccounts = false }: RealClusterOptions) {
    super(address);
    this.#ports = ports;
    this.#checksServiceAccounts = checksServiceAccounts;
  }

  /** About 6 s. */
  static async start(options: RealClusterOptions = {}): Promise<RealCluster> {
    const directory = mkdtempSync(join(tmpdir(), "stalewatch-real-"));
    const ports = {
      etcd: await freePort(),
      peer: await freePort(),
      apiServer: await freePort(),
    };
    new Authority(directory).issue("server");
    const cluster = new RealCluster({ server: `https://127.0.0.1:${ports.apiServer}`, directory }, ports, options);
    try {
      await cluster.#startEtcd();
      await cluster.startApiServer();
      if (options.controllerManager !== false) await cluster.startControllerManager();
    } catch (thrown) {
      await cluster.stop({ keepLogs: true });
      throw thrown;
    }
    return cluster;
  }

  get address(): ClusterAddress {
    return { server: this.server, directory: this.directory };
  }

  /** Starts the API server on its port and resolves once it is ready. */
  async startApiServer(): Promise<void> {
    const { keyFile, publicFile } = this.authority.tokenKey();
    this.#apiServer = new Daemon({
      name: "kube-apiserver",
      command: requireTool("kube-apiserver"),
      directory: this.directory,
      args: [
        `--etcd-servers=http://127.0.0.1:${this.#ports.etcd}`,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        `--secure-port=${this.#ports.apiServer}`,
        `--tls-cert-file=${join(this.directory, "server.crt")}`,
        `--tls-private-key-file=${join(this.directory, "server.key")}`,
        `--client-ca-file=${this.authority.ca.certFile}`,
        `--requestheader-client-ca-file=${new Authority(this.directory, "front-proxy-ca").ca.certFile}`,
        "--authorization-mode=RBAC",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.0.0.0/24",
        `--service-account-issuer=${tokenIssuer}`,
        `--service-account-signing-key-file=${keyFile}`,
        `--service-account-key-file=${publicFile}`,
        // Pods may be made before their namespace has its account.
        ...(this.#checksServiceAccounts ? [] : ["--disable-admission-plugins=ServiceAccount"]),
        "--profiling=false",
      ],
    });
    await this.#apiServer.whenReady(() => this.ready());
  }

  /** As a crash does: connections break, nothing is drained. */
  async killApiServer(): Promise<void> {
    await this.#apiServer?.kill();
  }

  async startControllerManager(): Promise<void> {
    this.#controllerManager = await ControllerManager.start(this, { controllers });
    await eventually("the default service account", async () => {
      const account = await this.raw.exchange("GET", "/api/v1/namespaces/default/serviceaccounts/default");
      return account.status === 200;
    });
  }

  async killControllerManager(): Promise<void> {
    await this.#controllerManager?.kill();
  }

  /** As another API server of the same cluster would: this one need not be there. `path` is as `jobs/default/x`. */
  async deleteFromEtcd(path: string): Promise<void> {
    const key = Buffer.from(`/registry/${path}`).toString("base64");
    const { deleted } = (await this.#etcdCall("kv/deleterange", { key })) as { deleted?: string };
    if (deleted !== "1") throw new Error(`etcd: there was no ${path}`);
  }

  /** As an API server of an older version may have stored it: this one validates what it is given, not what it finds. */
  async writeToEtcd(path: string, object: object): Promise<void> {
    const [key, value] = [`/registry/${path}`, JSON.stringify(object)].map((text) =>
      Buffer.from(text).toString("base64"),
    );
    await this.#etcdCall("kv/put", { key, value });
  }

  /** Throws away etcd's history up to now: a watch from any earlier version is refused after the API server's restart. */
  async compactEtcd(): Promise<void> {
    const range = (await this.#etcdCall("kv/range", { key: Buffer.from("/").toString("base64") })) as {
      header: { revision: string };
    };
    await this.#etcdCall("kv/compaction", { revision: range.header.revision, physical: true });
  }

  /** Keeps a copy of what etcd holds, for `restoreEtcd`. The API server is without it for a moment. */
  async snapshotEtcd(): Promise<void> {
    await this.#etcd?.kill("SIGTERM");
    cpSync(this.#etcdData, this.#etcdCopy, { recursive: true });
    await this.#startEtcd();
    await eventually("the API server has its store again", () => this.ready());
  }

  /** Puts the copy back as a restore does: etcd and the API server are stopped, and start again on their ports. */
  async restoreEtcd(): Promise<void> {
    await this.killApiServer();
    await this.#etcd?.kill();
    rmSync(this.#etcdData, { recursive: true });
    cpSync(this.#etcdCopy, this.#etcdData, { recursive: true });
    await this.#startEtcd();
    await this.startApiServer();
  }

  /** Ends every process; the folder with logs and keys goes too unless it is wanted. */
  async stop(options: { keepLogs?: boolean } = {}): Promise<void> {
    this.raw.close();
    await this.#controllerManager?.kill();
    await this.#apiServer?.kill();
    await this.#etcd?.kill();
    if (!options.keepLogs) rmSync(this.directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #etcdData(): string {
    return join(this.directory, "etcd");
  }

  get #etcdCopy(): string {
    return join(this.directory, "etcd-copy");
  }

  async #startEtcd(): Promise<void> {
    const url = `http://127.0.0.1:${this.#ports.etcd}`;
    const peer = `http://127.0.0.1:${this.#ports.peer}`;
    this.#etcd = new Daemon({
      name: "etcd",
      command: requireTool("etcd"),
      directory: this.directory,
      args: [
        `--data-dir=${this.#etcdData}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=default=${peer}`,
        "--unsafe-no-fsync",
        "--quota-backend-bytes=8589934592",
        "--log-level=warn",
      ],
    });
    await this.#etcd.whenReady(async () => {
      const range = await this.#etcdCall("kv/range", { key: Buffer.from("/").toString("base64") });
      return range !== undefined;
    });
  }

  /** One call of etcd's JSON gateway. */
  async #etcdCall(path: string, body: object): Promise<unknown> {
    const outgoing = request(`http://127.0.0.1:${this.#ports.etcd}/v3/${path}`, { method: "POST", agent: false });
    outgoing.end(JSON.stringify(body));
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (response.statusCode !== 200) throw new Error(`etcd ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text) as unknown;
  }
}

interface Ports {
  readonly etcd: number;
  readonly peer: number;
  readonly apiServer: number;
}
