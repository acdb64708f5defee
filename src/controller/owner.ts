import { StalewatchError } from "../base/index.ts";
import type { Draft } from "../kube/index.ts";
import {
  apiVersionOf,
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type OwnerReference,
  type Resource,
  resourceName,
} from "../resources/index.ts";

/** The reference that makes `owner` the one controller of an object; the object is deleted with it, and not before its dependents in a foreground deletion. */
export function controllerRef(owner: DeepReadonly<KubeObject>, resource: Resource): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * The draft, owned by `owner`, in the owner's namespace unless it names one. The draft itself is left alone.
 * Errors: `ALREADY_OWNED` when another object controls it; `OWNER_OUT_OF_REACH` when the owner lives in another namespace, where
 * the garbage collector would not find it (https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents).
 */
export function setOwner(draft: Draft, owner: DeepReadonly<KubeObject>, resource: Resource): Draft {
  const reference = controllerRef(owner, resource);
  const others = (draft.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  const rival = others.find(({ controller }) => controller === true);
  const named = `${resourceName(resource)} ${keyOf(owner.metadata)}`;
  if (rival) {
    throw new StalewatchError(
      "ALREADY_OWNED",
      `an object of ${named} already has ${rival.kind} ${rival.name} as its controller`,
      "create it with { owner: false }, or leave its ownerReferences out",
    );
  }
  const { namespace } = owner.metadata;
  if (namespace && draft.metadata.namespace && draft.metadata.namespace !== namespace) {
    throw new StalewatchError(
      "OWNER_OUT_OF_REACH",
      `${named} cannot own an object in namespace ${draft.metadata.namespace}`,
      `create it in ${namespace}, or with { owner: false }`,
    );
  }
  const metadata = { ...draft.metadata, ownerReferences: [...others, reference] };
  return { ...draft, metadata: namespace ? { ...metadata, namespace } : metadata };
}
