import type { Live, Writer } from "../kube/index.ts";
import type { DeepReadonly, KubeObject, Resource } from "../resources/index.ts";

export function hasFinalizer(object: DeepReadonly<KubeObject>, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Adds a finalizer; undefined when the object has it already. Carries the object's resourceVersion as a precondition, since a
 * patch replaces the whole list. Errors: `isConflict` when the object has changed since it was cached or read.
 */
export async function addFinalizer<T extends KubeObject>(
  write: Pick<Writer, "patch">,
  resource: Resource<T>,
  object: DeepReadonly<T>,
  finalizer: string,
): Promise<Live<T> | undefined> {
  if (hasFinalizer(object, finalizer)) return undefined;
  return setFinalizers(write, resource, object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** Removes a finalizer; undefined when the object does not have it. Precondition and errors as in `addFinalizer`. */
export async function removeFinalizer<T extends KubeObject>(
  write: Pick<Writer, "patch">,
  resource: Resource<T>,
  object: DeepReadonly<T>,
  finalizer: string,
): Promise<Live<T> | undefined> {
  if (!hasFinalizer(object, finalizer)) return undefined;
  const left = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return setFinalizers(write, resource, object, left);
}

function setFinalizers<T extends KubeObject>(
  write: Pick<Writer, "patch">,
  resource: Resource<T>,
  object: DeepReadonly<T>,
  finalizers: readonly string[],
): Promise<Live<T>> {
  const { name, namespace, resourceVersion } = object.metadata;
  const ref = namespace ? { namespace, name } : { name };
  return write.patch(resource, ref, { type: "merge", body: { metadata: { finalizers } } }, { resourceVersion });
}
