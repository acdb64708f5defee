import { messageOf } from "../base/index.ts";
import { type DeepReadonly, type KubeObject, objectMetaShape, type Resource } from "../resources/index.ts";
import { isRecord, projectJson, withoutBulk } from "./json-objects.ts";
import { Undecodable } from "./undecodable.ts";

/** Reads the objects of one kind, from either wire, into the same projected form. */
export class Decoder<T extends KubeObject> {
  readonly #resource: Resource<T>;

  constructor(resource: Resource<T>) {
    this.#resource = resource;
  }

  /** Errors: `Undecodable`. */
  fromJson(raw: unknown): DeepReadonly<T> {
    const { shape } = this.#resource;
    const object = (shape ? projectJson(shape, raw, "") : withoutBulk(raw)) as unknown as KubeObject;
    requireIdentity(object);
    return object as DeepReadonly<T>;
  }
}

/** What can be said of an object that is not decodable, when its metadata is. */
export function metadataOf(raw: unknown): DeepReadonly<KubeObject> | undefined {
  try {
    const metadata = projectJson(objectMetaShape, isRecord(raw) ? raw["metadata"] : undefined, "metadata");
    const object = { metadata } as unknown as KubeObject;
    requireIdentity(object);
    return object;
  } catch (thrown) {
    if (thrown instanceof Undecodable) return undefined; // The object is reported as opaque all the same.
    throw thrown;
  }
}

/** Without these an object has no place in a store. */
function requireIdentity(object: Partial<KubeObject>): void {
  if (!object.metadata) throw new Undecodable("it has no metadata");
  if (!object.metadata.name) throw new Undecodable("its metadata has no name");
}

export function whyUndecodable(thrown: unknown): string {
  if (!(thrown instanceof Undecodable)) throw thrown;
  return messageOf(thrown);
}
