import { type Clock, sleep, StalewatchError, withinMs } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import type { Manager } from "../controller/index.ts";
import type { JobsAnswer } from "../http/index.ts";
import { EvidenceReader, Findings, type OwnerKinds } from "../jobs/index.ts";
import { KubeClient } from "../kube/index.ts";
import { resourceName, resources } from "../resources/index.ts";
import { resolveEnv } from "../telemetry/index.ts";
import { informersOf, jobsManagers } from "./jobs-managers.ts";
import { jobsView } from "./jobs-view.ts";
import type { SidecarOptions } from "./sidecar-options.ts";

export interface LookOnceOptions extends Pick<
  SidecarOptions,
  "cluster" | "namespaces" | "limits" | "parents" | "genericParents" | "version" | "env"
> {
  /** Also what is only watched. */
  readonly all: boolean;
  /** How long the lists and reads may take all together, milliseconds. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
}

/** Nobody tells when there is nothing left to judge, and each look goes through all that waits. */
const LOOK_EVERY_MS = 200;

/**
 * What a sidecar would say of the cluster once it has looked at everything: the same caches, judges and evidence, for one lap.
 * What could not be read is in the notes. Errors: those of the API server where Jobs cannot be listed, `LOOK_TIMED_OUT`.
 */
export async function lookOnce(options: LookOnceOptions): Promise<Omit<JobsAnswer, "at">> {
  const { cluster, patienceMs: ms, signal } = options;
  const { clock } = resolveEnv(options.env);
  const tooLate = (): StalewatchError => {
    const remedy = "allow more with --request-timeout, or look at one namespace";
    return new StalewatchError("LOOK_TIMED_OUT", `${cluster.server} has not told everything in time`, remedy);
  };
  return await withinMs({ clock, ms, signal, tooLate }, (patience) => look(options, patience));
}

async function look(options: LookOnceOptions, patience: AbortSignal): ReturnType<typeof lookOnce> {
  const { cluster, namespaces = [], limits, version, all } = options;
  const env = resolveEnv(options.env);
  const client = new KubeClient({ transport: cluster.transport, env, userAgent: `stalewatch/${version}` });
  const stop = new AbortController();
  await requireJobs(client, namespaces, patience);
  const findings = new Findings(env, limits);
  const evidence = new EvidenceReader({ client, env });
  const judging = jobsManagers({ ...options, listen: NOWHERE }, { client, findings, evidence, env });
  const managers = judging.map(({ manager }) => manager);
  const owners = judging.flatMap((each) => each.owners ?? []);
  const running = [...managers, ...owners, evidence].map((part) => part.run({ signal: stop.signal }));
  try {
    await Promise.race([lapOf({ managers, owners, evidence }, env.clock, patience), ...running]);
    const informers = managers.flatMap((manager) => informersOf(manager));
    const view = jobsView({ findings, evidence, owners, informers }, env.clock.now(), all);
    return { ...view, notes: [...view.notes, ...informers.flatMap(noteOn)] };
  } finally {
    stop.abort();
    await Promise.allSettled(running);
  }
}

const NOWHERE = { metrics: "0", health: "0", status: "0" };

/** An error that a cache would go on trying for ever is told at once. */
async function requireJobs(client: KubeClient, namespaces: readonly string[], signal: AbortSignal): Promise<void> {
  const scopes = namespaces.length === 0 ? [{}] : namespaces.map((namespace) => ({ namespace }));
  for (const scope of scopes) {
    for await (const _page of client.list(resources.jobs, { ...scope, limit: 1, signal })) break;
  }
}

interface Parts {
  readonly managers: readonly Manager[];
  readonly owners: readonly OwnerKinds[];
  readonly evidence: EvidenceReader;
}

/** Until everything is listed, judged, and judged again with what was read about suspects. */
async function lapOf({ managers, owners, evidence }: Parts, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(clock, LOOK_EVERY_MS, signal);
    if (!managers.every(isListed) || !managers.every(isIdle) || owners.some(({ isLooking }) => isLooking)) continue;
    await evidence.whenIdle();
    if (managers.every(isListed) && managers.every(isIdle)) return;
  }
}

/** A cache that may not be filled does not hold up the others. */
function isListed(manager: Manager): boolean {
  const informers = informersOf(manager);
  return (
    informers.length > 0 &&
    informers.every((informer) =>
      informer.hasSynced() ? !informer.isTelling() : informer.status().lastError !== undefined,
    )
  );
}

function isIdle(manager: Manager): boolean {
  return manager.status().controllers.every(({ queue }) => queue.depth === 0 && queue.running === 0);
}

function noteOn(informer: Informer): readonly string[] {
  const { lastError } = informer.status();
  return informer.hasSynced() ? [] : [`${resourceName(informer.resource)} could not be listed: ${lastError ?? ""}`];
}
