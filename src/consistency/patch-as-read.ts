import { isConflict, isNotFound, type Live, type Writer } from "../kube/index.ts";
import { LagRequeue, Requeue } from "../requeue/index.ts";
import { type DeepReadonly, type KubeObject, type ObjectRef, type Resource } from "../resources/index.ts";

/** What is changed, and on the strength of which version. */
export interface PatchAsRead<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly metadata: DeepReadonly<KubeObject["metadata"]>;
  /** RFC 7386 merge patch. */
  readonly body: object;
  readonly subresource?: "status";
}

/**
 * Patches an object only if it still is what was read. The answer; `LagRequeue` when it has changed meanwhile, since what follows
 * from the read may no longer hold; undefined when it is gone. Errors: all others of `Writer.patch`.
 */
export async function patchAsRead<T extends KubeObject>(
  write: Pick<Writer, "patch">,
  { resource, metadata, body, subresource }: PatchAsRead<T>,
): Promise<Live<T> | Requeue | undefined> {
  const { namespace, name, resourceVersion } = metadata;
  const ref: ObjectRef = namespace ? { namespace, name } : { name };
  try {
    return await write.patch(
      resource,
      ref,
      { type: "merge", body },
      { resourceVersion, ...(subresource && { subresource }) },
    );
  } catch (error) {
    if (isConflict(error)) return Requeue.after(LagRequeue);
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
