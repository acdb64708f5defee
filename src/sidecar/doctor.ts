import { type Clock, messageOf, StalewatchError } from "../base/index.ts";
import { type EnvironmentVariables, tracingWanted } from "../exposition/index.ts";
import { addedKinds, judgedKinds, kindsOfEvidence, type ParentRules } from "../jobs/index.ts";
import { type Cluster, isUnauthorized, KubeClient } from "../kube/index.ts";
import { resourceName } from "../resources/index.ts";
import type { Target } from "../lag/index.ts";
import { examineTargets } from "./doctor-targets.ts";
import { notServed } from "./not-served.ts";
import { deniedOf, evidenceRights, readRights, remedyFor, type Right, writeRights } from "./rights.ts";
import type { SidecarOptions, WatchedKind } from "./sidecar-options.ts";

/** One thing that was looked at. */
export interface Diagnosis {
  /** `cluster`, `access`, ... */
  readonly check: string;
  readonly ok: boolean;
  /** What was found. */
  readonly found: string;
  /** What to do about it; only where it is not ok. */
  readonly remedy?: string;
}

export interface DoctorOptions {
  cluster: Pick<Cluster, "server" | "transport">;
  /** As for `run`: all when empty. */
  namespaces: readonly string[];
  watch: readonly WatchedKind[];
  /** As for `run`: kinds that are judged where somebody has installed them. */
  parents?: readonly ParentRules[] | undefined;
  /** As for `run`: whatever it is to write. */
  leaderElection?: Pick<NonNullable<SidecarOptions["leaderElection"]>, "lease"> | undefined;
  heartbeat?: Pick<NonNullable<SidecarOptions["heartbeat"]>, "namespace"> | undefined;
  /** As for `run`; each is read once, and closed. */
  targets?: readonly Target[];
  variables: EnvironmentVariables;
  clock: Clock;
  signal: AbortSignal;
}

/** Since 1.27 the pods of a Job carry the label that the pods' cache selects by. */
const OLDEST_MINOR = 27;

/** Ages of seconds mean little when the clocks differ by more. The Date header itself has whole seconds. */
const MOST_SKEW_MS = 5_000;

/** Looks at everything that `run` needs, in the order in which one thing needs the other. Never throws for what it finds. */
export async function* examine(options: DoctorOptions): AsyncGenerator<Diagnosis> {
  const { cluster, signal, variables } = options;
  const client = new KubeClient({ transport: cluster.transport });
  yield tracing(variables);
  try {
    yield* serverAndClock(client, options);
    const served = await client.discover(signal);
    for (const kind of judgedKinds) yield* access(client, kind, true, options);
    for (const kind of addedKinds(options.parents)) {
      const found = served.find((other) => resourceName(other) === resourceName(kind));
      if (found) yield* access(client, kind, found.namespaced, options);
    }
    for (const kind of kindsOfEvidence) {
      const rights = evidenceRights(kind, options.namespaces);
      for (const right of rights) yield await accessTo(client, right, kind.namespaced, signal);
    }
    for (const kind of options.watch) {
      const found = served.find((other) => resourceName(other) === resourceName(kind));
      if (found) yield* access(client, kind, found.namespaced, options);
      else yield { check: "watch", ok: false, ...notServed(kind, served) };
    }
    for (const right of writeRights(options)) yield await accessTo(client, right, true, signal);
  } catch (error) {
    yield failure(error, cluster.server);
  }
  yield* examineTargets(options.targets ?? [], options);
}

/** What a call that failed says of the cluster: nothing after it would be worth asking. */
function failure(error: unknown, server: string): Diagnosis {
  const check = isUnauthorized(error) ? "credentials" : "cluster";
  const remedy =
    error instanceof StalewatchError && error.remedy ? error.remedy : `check that ${server} is the right address`;
  const found = messageOf(error).replace(`: ${remedy}`, "");
  return { check, ok: false, found, remedy };
}

function tracing(variables: EnvironmentVariables): Diagnosis {
  const endpoint = variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? variables["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "";
  if (!tracingWanted(variables)) {
    return { check: "tracing", ok: true, found: "off: OTEL_EXPORTER_OTLP_ENDPOINT is not set" };
  }
  if (endpoint === "")
    return { check: "tracing", ok: true, found: "on, to the exporter that OTEL_TRACES_EXPORTER names" };
  // Without a user name and password that the address may hold.
  if (URL.canParse(endpoint)) return { check: "tracing", ok: true, found: `on, to ${new URL(endpoint).origin}` };
  const remedy = "write an address such as http://127.0.0.1:4318 into OTEL_EXPORTER_OTLP_ENDPOINT";
  return { check: "tracing", ok: false, found: "the endpoint is not an address", remedy };
}

async function* serverAndClock(client: KubeClient, options: DoctorOptions): AsyncGenerator<Diagnosis> {
  const { cluster, clock, signal } = options;
  const { gitVersion, minor } = await client.serverVersion(signal);
  yield { check: "cluster", ok: true, found: `${cluster.server} answers` };
  const tooOld = Number.parseInt(minor, 10) < OLDEST_MINOR;
  yield {
    check: "version",
    ok: !tooOld,
    found: `Kubernetes ${gitVersion}`,
    ...(tooOld
      ? { remedy: `pods of Jobs are found by a label that came with 1.${OLDEST_MINOR}: upgrade the cluster` }
      : {}),
  };
  yield clockSkew(await serverTime(cluster, clock, signal));
}

/** Milliseconds that the server's clock is ahead, give or take half a second; undefined when it does not say. */
async function serverTime(
  { transport }: DoctorOptions["cluster"],
  clock: Clock,
  signal: AbortSignal,
): Promise<number | undefined> {
  const askedAt = clock.now();
  const headers = { accept: "application/json" };
  const answer = await transport.exchange({ method: "GET", path: "/version", headers, pool: "requests", signal });
  const middle = (askedAt + clock.now()) / 2;
  for await (const _ of answer.body); // read to its end, so that the connection can be used again
  const date = Date.parse(answer.headers["date"] ?? "");
  return Number.isNaN(date) ? undefined : date + 500 - middle;
}

function clockSkew(aheadMs: number | undefined): Diagnosis {
  if (aheadMs === undefined) return { check: "clock", ok: true, found: "the server does not tell its time" };
  if (Math.abs(aheadMs) < MOST_SKEW_MS) {
    const bound = Math.ceil((Math.abs(aheadMs) + 500) / 1_000);
    return { check: "clock", ok: true, found: `within ${bound} s of the server's` };
  }
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return {
    check: "clock",
    ok: false,
    found: `${seconds} s ${aheadMs > 0 ? "behind" : "ahead of"} the server's`,
    remedy: "set this machine's clock (NTP): ages of Jobs are wrong by as much",
  };
}

/** One line a kind and namespace, with the rule to add where something is missing. */
async function* access(
  client: KubeClient,
  kind: WatchedKind,
  namespaced: boolean,
  { namespaces, signal }: DoctorOptions,
): AsyncGenerator<Diagnosis> {
  for (const right of readRights(kind, namespaced && namespaces.length > 0 ? namespaces : [undefined])) {
    yield await accessTo(client, right, namespaced, signal);
  }
}

async function accessTo(
  client: KubeClient,
  right: Right,
  namespaced: boolean,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const { verbs, group, resource, namespace, purpose } = right;
  const denied = await deniedOf(client, right, signal);
  const where = namespace === undefined ? (namespaced ? "all namespaces" : "the cluster") : `namespace ${namespace}`;
  const what = `${group === "" ? resource : `${resource}.${group}`} in ${where}${purpose ? `, ${purpose}` : ""}`;
  return denied.length === 0
    ? { check: "access", ok: true, found: `may ${listed(verbs, "and")} ${what}` }
    : { check: "access", ok: false, found: `may not ${listed(denied, "or")} ${what}`, remedy: remedyFor(right) };
}

/** "get, create and patch" */
function listed(words: readonly string[], last: "and" | "or"): string {
  const front = words.slice(0, -1).join(", ");
  return front === "" ? words.join("") : `${front} ${last} ${words.at(-1) ?? ""}`;
}
