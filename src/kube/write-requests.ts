import { StalewatchError } from "../base/index.ts";
import type { DeepReadonly, KubeObject } from "../resources/index.ts";
import type { DeleteOptions, Patch } from "./api.ts";
import { isRecord } from "./json-reader.ts";

const PATCH_TYPES: Readonly<Record<Patch["type"], string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

export interface PatchRequest {
  readonly body: unknown;
  readonly contentType: string;
  /** The same after two times as after one: a JSON or strategic patch may add to a list each time. */
  readonly repeatable: boolean;
}

/** A version is checked by setting it: the server refuses an object of another version with a conflict. */
export function patchRequest(patch: Patch, resourceVersion: string | undefined): PatchRequest {
  const contentType = PATCH_TYPES[patch.type];
  if (resourceVersion === undefined) return { body: patch.body, contentType, repeatable: patch.type === "merge" };
  if (patch.type === "json") {
    // Not a "test" operation: that fails as invalid.
    const check = { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion };
    return { body: [check, ...patch.body], contentType, repeatable: true };
  }
  const { metadata } = patch.body as { metadata?: unknown };
  if (metadata !== undefined && !isRecord(metadata)) {
    throw new StalewatchError("BAD_PATCH", "the patch's metadata is no object", "give metadata as an object");
  }
  return { body: { ...patch.body, metadata: { ...metadata, resourceVersion } }, contentType, repeatable: true };
}

export function deleteBody(options: DeleteOptions): object {
  const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    preconditions: uid || resourceVersion ? { uid, resourceVersion } : undefined,
    propagationPolicy,
    gracePeriodSeconds,
    dryRun: dryRun ? ["All"] : undefined,
  };
}

/** For some kinds (pods) the answer holds the object even when nothing kept it. */
export function isGone({ metadata }: DeepReadonly<KubeObject>): boolean {
  if (metadata.finalizers && metadata.finalizers.length > 0) return false;
  return metadata.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds === 0;
}
