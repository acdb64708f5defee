import type { KubeObject } from "./meta.ts";
import { objectMetaShape } from "./meta-shape.ts";
import { message, type Shape, shape } from "./shape.ts";

/** A kind as the API server serves it. Made by `defineResource`; compared by `resourceName`, not by identity. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural of the URL, lower case. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** What is kept. Without one, `keep`, or else everything but managedFields. */
  readonly shape?: Shape<T>;
  /** What is kept beside the metadata, as dotted paths. */
  readonly keep?: readonly string[];
  /** The API server answers this kind in protobuf too (built-in kinds only). */
  readonly protobuf: boolean;
  /** Lists and watches ask for the metadata alone. */
  readonly metadataOnly?: true;
}

export interface ResourceOptions<T extends KubeObject> {
  group: string;
  version: string;
  kind: string;
  resource: string;
  /** true unless given. */
  namespaced?: boolean;
  /**
   * What lists and watches keep of an object beside its metadata, as dotted paths: `["spec.approved", "status"]`. A cache is as
   * small as this list. Everything but managedFields unless given.
   */
  keep?: readonly string[];
  /** The same as a type-checked declaration, which also checks the fields' types as they are read. */
  shape?: Shape<T>;
}

/** Declares a kind of the user's own (a custom resource: JSON only). */
export function defineResource<T extends KubeObject>(options: ResourceOptions<T>): Resource<T> {
  return { namespaced: true, ...options, protobuf: false };
}

const metadataShape: Shape<KubeObject> = shape<KubeObject>({ metadata: message(1, objectMetaShape) });

/** The same kind, but nothing of its objects' content travels or is kept in lists and watches: it is nobody's business. */
export function metadataOf(resource: Omit<Resource, "shape" | "protobuf">): Resource {
  const { group, version, kind, resource: plural, namespaced } = resource;
  return {
    group,
    version,
    kind,
    resource: plural,
    namespaced,
    shape: metadataShape,
    protobuf: false,
    metadataOnly: true,
  };
}

/** `jobs.v1.batch`, `pods.v1`: unique, and what logs, errors and counters say. */
export function resourceName(resource: Pick<Resource, "group" | "version" | "resource">): string {
  const tail = resource.group ? `.${resource.group}` : "";
  return `${resource.resource}.${resource.version}${tail}`;
}

/** `batch/v1`, or `v1` in the core group: an object's apiVersion. */
export function apiVersionOf(resource: Pick<Resource, "group" | "version">): string {
  return resource.group ? `${resource.group}/${resource.version}` : resource.version;
}

/** What `apiVersionOf` put together. */
export function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
