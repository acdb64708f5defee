import { StalewatchError, type Transport } from "../base/index.ts";
import { type Env, resolveEnv } from "../telemetry/index.ts";

/** One API server and the connections to it, which stay open until it is closed or disposed of. */
export interface Cluster extends AsyncDisposable {
  /** Its URL. */
  readonly server: string;
  /** Undefined in a pod, which has no kubeconfig. */
  readonly contextName: string | undefined;
  /** The context's, or the pod's own; "default" where none is named. */
  readonly namespace: string;
  readonly inCluster: boolean;
  readonly transport: Transport;
  close(): Promise<void>;
}

export interface LoadClusterOptions {
  /** A file; unless given KUBECONFIG's, the pod's service account, or ~/.kube/config. */
  kubeconfig?: string;
  /** Its current-context unless given. */
  context?: string;
  env?: Partial<Env>;
}

/**
 * The cluster that the kubeconfig, or the pod, names. Does not call it yet. Loads the libraries that this takes only now: they cost
 * a second and a hundred megabytes, which commands that need no cluster shall not pay. Errors: see `selectCluster`.
 */
export async function loadCluster(options: LoadClusterOptions = {}): Promise<Cluster> {
  const [clientNode, { selectCluster }, { Credentials }, { UndiciTransport }] = await Promise.all([
    import("@kubernetes/client-node"),
    import("./kubeconfig.ts"),
    import("./credentials.ts"),
    import("./undici-transport.ts"),
  ]);
  const { config, server, proxy, ...where } = await selectCluster(clientNode, options);
  const { clock } = resolveEnv(options.env);
  const credentials = new Credentials(config, clock);
  const transport = new UndiciTransport({
    server: httpUrl(server, "server"),
    proxy: proxy ? httpUrl(proxy, "proxy-url") : undefined,
    credentials,
  });
  const close = (): Promise<void> => transport.close();
  return { ...where, server, transport, close, [Symbol.asyncDispose]: close };
}

function httpUrl(text: string, field: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === "https:" || url.protocol === "http:")) return url;
  // Without the text itself: a proxy's address may hold a password.
  const remedy = "write it as https://host:port or http://host:port";
  throw new StalewatchError("KUBECONFIG_INVALID", `the kubeconfig's ${field} is no http or https address`, remedy);
}
