import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type * as clientNodeTypes from "@kubernetes/client-node";
import type { KubeConfig, User } from "@kubernetes/client-node";
import { messageOf, oneLine, StalewatchError } from "../base/index.ts";

type ClientNode = typeof clientNodeTypes;

/** Which server, as whom. */
export interface Selected {
  /** client-node's own, cut down to this one cluster and user. */
  readonly config: KubeConfig;
  readonly server: string;
  readonly proxy: string | undefined;
  readonly contextName: string | undefined;
  readonly namespace: string;
  readonly inCluster: boolean;
}

const SERVICE_ACCOUNT_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/**
 * Looks where controller-runtime looks: the file given, the files of KUBECONFIG, the pod's service account, ~/.kube/config.
 * Errors: `KUBECONFIG_NOT_FOUND`, `KUBECONFIG_UNREADABLE`, `KUBECONFIG_INVALID`, `KUBECONFIG_NO_CONTEXT`, `KUBECONFIG_UNKNOWN_CONTEXT`.
 */
export async function selectCluster(
  clientNode: ClientNode,
  options: { kubeconfig?: string | undefined; context?: string | undefined },
): Promise<Selected> {
  const files = filesFor(options.kubeconfig);
  if (files === "in-cluster") {
    const config = new clientNode.KubeConfig();
    config.loadFromCluster();
    return select(clientNode, config, "the service account", undefined, true);
  }
  const config = merged(clientNode, await Promise.all(files.map((file) => loadFile(clientNode, file))));
  return select(clientNode, config, files.join(delimiter), options.context, false);
}

function filesFor(kubeconfig: string | undefined): readonly string[] | "in-cluster" {
  if (kubeconfig) return [kubeconfig];
  // As for kubectl, files that KUBECONFIG names and that do not exist are none.
  const listed = (process.env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  const present = listed.filter((file) => existsSync(file));
  if (present.length > 0) return present;
  if (listed.length > 0) throw notFound(`KUBECONFIG names ${listed.join(", ")}, which does not exist`);
  if (process.env["KUBERNETES_SERVICE_HOST"] && existsSync(SERVICE_ACCOUNT_TOKEN)) return "in-cluster";
  const usual = join(homedir(), ".kube", "config");
  if (existsSync(usual)) return [usual];
  throw notFound(`no cluster is known: KUBECONFIG is not set, this is no pod, and ${usual} does not exist`);
}

function notFound(message: string): StalewatchError {
  return new StalewatchError("KUBECONFIG_NOT_FOUND", message, "name a file with --kubeconfig");
}

async function loadFile(clientNode: ClientNode, file: string): Promise<KubeConfig> {
  const config = new clientNode.KubeConfig();
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (thrown) {
    const remedy = "check the path and who may read it";
    throw new StalewatchError("KUBECONFIG_UNREADABLE", `kubeconfig ${file}: ${messageOf(thrown)}`, remedy);
  }
  try {
    config.loadFromString(text);
  } catch (thrown) {
    throw new StalewatchError("KUBECONFIG_INVALID", `kubeconfig ${file}: ${invalidity(thrown)}`, "correct the file");
  }
  config.makePathsAbsolute(dirname(file));
  if (text.includes("tokenFile")) config.users = await withTokenFiles(config.users, text, dirname(file));
  return config;
}

/** client-node passes over `tokenFile`; its reader of a pod's token file does what is wanted. */
async function withTokenFiles(users: readonly User[], text: string, directory: string): Promise<User[]> {
  const { parse } = await import("yaml");
  const parsed = parse(text) as { users?: { name?: string; user?: { tokenFile?: string } }[] };
  return users.map((user) => {
    const tokenFile = parsed.users?.find(({ name }) => name === user.name)?.user?.tokenFile;
    if (!tokenFile) return user;
    const config = { tokenFile: resolve(directory, tokenFile) };
    return { name: user.name, authProvider: { name: "tokenFile", config } };
  });
}

/** A YAML error's own text quotes the lines around it, which may hold a token. */
function invalidity(thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === "YAMLException") {
    const { reason, mark } = thrown as Error & { reason?: string; mark?: { line?: number } };
    return `not YAML: ${oneLine(reason ?? "unreadable")} in line ${(mark?.line ?? 0) + 1}`;
  }
  return thrown instanceof TypeError ? "it is empty or no kubeconfig" : messageOf(thrown);
}

/** kubectl's rule: of entries of the same name, and of current contexts, the first file's counts. */
function merged(clientNode: ClientNode, configs: readonly KubeConfig[]): KubeConfig {
  const all = new clientNode.KubeConfig();
  all.loadFromOptions({
    clusters: configs.flatMap(({ clusters }) => clusters),
    users: configs.flatMap(({ users }) => users),
    contexts: configs.flatMap(({ contexts }) => contexts),
    currentContext: configs.map((config) => config.getCurrentContext()).find(Boolean),
  });
  return all;
}

function select(
  clientNode: ClientNode,
  config: KubeConfig,
  where: string,
  wanted: string | undefined,
  inCluster: boolean,
): Selected {
  const contextName = wanted ?? config.getCurrentContext();
  const names = config.getContexts().map(({ name }) => name);
  const known = names.length > 0 ? `it has ${names.join(", ")}` : "it has none";
  if (!contextName) {
    const remedy = `name one with --context, or set it with kubectl config use-context (${known})`;
    throw new StalewatchError("KUBECONFIG_NO_CONTEXT", `kubeconfig ${where} has no current-context`, remedy);
  }
  const context = config.getContextObject(contextName);
  if (!context) {
    const message = `kubeconfig ${where} has no context "${contextName}"`;
    throw new StalewatchError("KUBECONFIG_UNKNOWN_CONTEXT", message, `choose one (${known})`);
  }
  const cluster = config.getCluster(context.cluster);
  if (!cluster) {
    const message = `kubeconfig ${where}: context "${contextName}" names cluster "${context.cluster}", which is not in it`;
    throw new StalewatchError("KUBECONFIG_INVALID", message, "correct the file");
  }
  const user = config.getUser(context.user) ?? { name: "anonymous" };
  const chosen = new clientNode.KubeConfig();
  // client-node refuses plain http, as kubectl proxy serves it, unless TLS need not be verified; there is none.
  const plain = cluster.server.startsWith("http:");
  chosen.loadFromClusterAndUser({ ...cluster, skipTLSVerify: plain || cluster.skipTLSVerify }, user);
  return {
    config: chosen,
    server: cluster.server,
    proxy: cluster.proxyUrl,
    contextName: inCluster ? undefined : contextName,
    namespace: context.namespace || "default",
    inCluster,
  };
}
