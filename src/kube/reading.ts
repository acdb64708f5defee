import type { KubeObject, Resource } from "../resources/index.ts";
import type { Caller } from "./caller.ts";
import type { Codec } from "./codec.ts";
import type { OpaqueObjects } from "./opaque.ts";
import { PROTOBUF } from "./protobuf-envelope.ts";

/** Everything that reading the objects of one kind takes. */
export interface Reading<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly caller: Caller;
  readonly codec: Codec;
  readonly opaque: OpaqueObjects;
}

/** Protobuf can be read by shape only. A server, or an aggregated one behind it, that does not speak it answers in JSON. */
export function acceptFor(resource: Resource, stream: boolean): string {
  if (resource.metadataOnly) {
    const as = stream ? "PartialObjectMetadata" : "PartialObjectMetadataList";
    return `application/json;as=${as};g=meta.k8s.io;v=v1, application/json`;
  }
  if (!resource.protobuf || !resource.shape) return "application/json";
  return `${PROTOBUF}${stream ? ";stream=watch" : ""}, application/json`;
}
