import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Authority, type Certificate } from "./authority.ts";
import { type Credentials, RawClient } from "./raw-client.ts";

/** Where a cluster is; plain data, so that it crosses from vitest's global set-up into its workers. */
export interface ClusterAddress {
  server: string;
  directory: string;
}

/** One RBAC rule as a ClusterRole has it. */
export interface Rule {
  apiGroups?: string[];
  resources?: string[];
  verbs: string[];
  nonResourceURLs?: string[];
}

export const tokenIssuer = "https://kubernetes.default.svc";

/** Ways into a running cluster: as admin, as somebody with fewer rights, or with broken credentials. */
export class ClusterAccess {
  readonly server: string;
  readonly directory: string;
  readonly authority: Authority;
  readonly admin: Certificate;
  /** The witness: calls as admin without the product's code. */
  readonly raw: RawClient;
  #files = 0;

  constructor(address: ClusterAddress) {
    this.server = address.server;
    this.directory = address.directory;
    this.authority = new Authority(address.directory);
    this.admin = certificateFiles(address.directory, "admin") ?? this.authority.issue("admin", "system:masters");
    this.raw = new RawClient(this.server, this.authority.ca.cert, this.admin);
  }

  /** The path of a new kubeconfig; admin's unless credentials are given. */
  kubeconfig(options: { credentials?: Credentials; server?: string; ca?: string; namespace?: string } = {}): string {
    const { server = this.server, ca = this.authority.ca.cert } = options;
    const credentials: Credentials = options.credentials ?? this.admin;
    const user =
      credentials.token === undefined
        ? {
            "client-certificate-data": base64(credentials.cert ?? ""),
            "client-key-data": base64(credentials.key ?? ""),
          }
        : { token: credentials.token };
    const context = { cluster: "real", user: "user", ...(options.namespace ? { namespace: options.namespace } : {}) };
    this.#files += 1;
    const path = join(this.directory, `kubeconfig-${process.pid}-${this.#files}.json`);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "real", cluster: { server, "certificate-authority-data": base64(ca) } }],
      users: [{ name: "user", user }],
      contexts: [{ name: "real", context }],
      "current-context": "real",
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** A client certificate of a user who may do exactly this, in every namespace. */
  async user(name: string, rules: readonly Rule[]): Promise<Credentials> {
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules };
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name }];
    await this.raw.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", role);
    const binding = { ...role, kind: "ClusterRoleBinding", rules: undefined, roleRef, subjects };
    await this.raw.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding);
    return this.authority.issue(name);
  }

  /** A token of a new service account; negative seconds give one that expired so long ago, with a good signature. */
  async serviceAccountToken(namespace: string, name: string, expiresInSeconds: number): Promise<string> {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
    const made = await this.raw.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, account);
    const now = Math.floor(Date.now() / 1000);
    return this.authority.signToken({
      iss: tokenIssuer,
      aud: [tokenIssuer],
      sub: `system:serviceaccount:${namespace}:${name}`,
      iat: now - 7200,
      nbf: now - 7200,
      exp: now + expiresInSeconds,
      "kubernetes.io": { namespace, serviceaccount: { name, uid: made.metadata.uid } },
    });
  }

  /** A new namespace whose name begins with `prefix`. */
  async namespace(prefix: string): Promise<string> {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { generateName: `${prefix}-` } };
    return (await this.raw.post("/api/v1/namespaces", object)).metadata.name;
  }

  /** Version of the store by a consistent read of this collection, as /apis/batch/v1/jobs. */
  async version(collection: string): Promise<string> {
    return (await this.raw.get(`${collection}?limit=1`)).metadata.resourceVersion;
  }

  /** True once the API server serves everything. */
  async ready(): Promise<boolean> {
    return (await this.raw.exchange("GET", "/readyz")).status === 200;
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function certificateFiles(directory: string, name: string): Certificate | undefined {
  const certFile = join(directory, `${name}.crt`);
  const keyFile = join(directory, `${name}.key`);
  try {
    return { certFile, keyFile, cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  } catch {
    return undefined; // not made yet: the caller makes it
  }
}
