import { whenAborted } from "../base/index.ts";
import { OwnerKinds, parentResource, type ParentRules, type Parents } from "../jobs/index.ts";
import type { KubeClient, ListerWatcher } from "../kube/index.ts";
import type { Target } from "../lag/index.ts";
import { type DeepReadonly, type Job, type Resource, resourceName, resources } from "../resources/index.ts";
import { type Env, type Log, noopLog } from "../telemetry/index.ts";
import { kindsInFiles } from "./kinds-in-files.ts";
import { recordKind, type RecordKindOptions } from "./record-kind.ts";
import { recordTarget } from "./record-target.ts";
import { RecordingFile } from "./recording-file.ts";

export interface RecordOptions extends Parents {
  readonly client: ListerWatcher & Pick<KubeClient, "discover" | "review">;
  /** All when empty. */
  readonly namespaces: readonly string[];
  readonly targets: readonly Target[];
  readonly targetIntervalMs: number;
  readonly path: string;
  readonly onTrouble: (trouble: string) => void;
  readonly env: Pick<Env, "clock" | "random">;
}

/**
 * Writes what the caches of a sidecar would hear, and what targets publish, until the signal aborts; resolves when the file is whole.
 * Kinds that may not be read are told of and left out. Errors: `FILE_UNWRITABLE`.
 */
export async function record(options: RecordOptions, signal: AbortSignal): Promise<void> {
  const { namespaces, targets, targetIntervalMs: intervalMs, path, env } = options;
  const file = await RecordingFile.create(path, env.clock);
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const parts: Promise<void>[] = [];
  const begin = async (part: Promise<void>): Promise<void> => {
    await part.catch((thrown: unknown) => failed.abort(thrown));
  };
  const beginKind = (
    resource: Resource,
    namespace: string | undefined,
    seen: Pick<RecordKindOptions, "onObject"> = {},
  ): void => {
    const place = resource.namespaced ? namespace : undefined;
    parts.push(begin(recordKind({ ...options, ...seen, resource, namespace: place, file }, stop)));
  };
  const everywhere = namespaces.length > 0 ? namespaces : [undefined];
  for (const resource of kindsInFiles(options).kept) {
    for (const namespace of resource.namespaced ? everywhere : [undefined]) {
      const owners = options.genericParents && isJobs(resource) ? ownersOf(options, namespace, beginKind) : undefined;
      if (owners) parts.push(begin(owners.run({ signal: stop })));
      beginKind(resource, namespace, owners && { onObject: (job) => owners.see(job as DeepReadonly<Job>) });
    }
  }
  for (const target of targets) parts.push(begin(recordTarget({ ...options, target, intervalMs, file }, stop)));
  await whenAborted(stop);
  await Promise.all(parts);
  await file.close();
  failed.signal.throwIfAborted();
}

function isJobs(resource: Resource): boolean {
  return resourceName(resource) === resourceName(resources.jobs);
}

function ownersOf(
  { client, parents: known, onTrouble, env: { clock } }: RecordOptions,
  namespace: string | undefined,
  beginKind: (resource: Resource, namespace: string | undefined) => void,
): OwnerKinds {
  const warn: Log["warn"] = (message, { why } = {}) => onTrouble(`${message}: ${String(why)}`);
  const found = (rules: ParentRules): void => beginKind(parentResource(rules), namespace);
  return new OwnerKinds({ client, namespace, known, found, env: { clock, log: { ...noopLog, warn } } });
}
