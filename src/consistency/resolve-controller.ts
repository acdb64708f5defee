import type { Lister } from "../cache/index.ts";
import {
  controllerOf,
  type DeepReadonly,
  groupVersionOf,
  keyOf,
  type KubeObject,
  type Resource,
} from "../resources/index.ts";

/** The kind that may be the controller, and its cache. */
export interface ControllerCache<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly lister: Pick<Lister<T>, "get">;
}

/**
 * The object that controls `dependent`, if it is of this kind and in its cache. Looked up by name and confirmed by uid: one that was
 * deleted and made again under its name does not control what the first one did.
 */
export function resolveController<T extends KubeObject>(
  dependent: DeepReadonly<KubeObject>,
  { resource, lister }: ControllerCache<T>,
): DeepReadonly<T> | undefined {
  const reference = controllerOf(dependent);
  if (reference?.kind !== resource.kind || groupVersionOf(reference.apiVersion).group !== resource.group)
    return undefined;
  const namespace = resource.namespaced ? dependent.metadata.namespace : undefined;
  const owner = lister.get(keyOf({ namespace, name: reference.name }));
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}
