import type { ListerWatcher } from "../kube/index.ts";
import type { Target } from "../lag/index.ts";
import type { Resource } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { recordKind } from "./record-kind.ts";
import { recordTarget } from "./record-target.ts";
import { RecordingFile } from "./recording-file.ts";

export interface RecordOptions {
  readonly client: ListerWatcher;
  readonly kinds: readonly Resource[];
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
  const { kinds, namespaces, targets, targetIntervalMs: intervalMs, path, env } = options;
  const file = await RecordingFile.create(path, env.clock);
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const places = (resource: Resource): readonly (string | undefined)[] => {
    return resource.namespaced && namespaces.length > 0 ? namespaces : [undefined];
  };
  const parts = [
    ...kinds.flatMap((resource) => {
      return places(resource).map((namespace) => recordKind({ ...options, resource, namespace, file }, stop));
    }),
    ...targets.map((target) => recordTarget({ ...options, target, intervalMs, file }, stop)),
  ].map(async (part) => {
    try {
      await part;
    } catch (thrown) {
      failed.abort(thrown);
      throw thrown;
    }
  });
  await Promise.allSettled(parts);
  await Promise.all(parts);
  await file.close();
}
