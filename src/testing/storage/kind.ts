import type { Shape } from "../../resources/index.ts";
import type { StoredObject } from "./stored-object.ts";

/** Why an object is refused, as `Status.details.causes` tells it. */
export interface FieldCause {
  reason: "FieldValueRequired" | "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueNotSupported";
  message: string;
  field: string;
}

/** What one kind does differently. Everything else is the same for all kinds. */
export interface KindRules {
  /** Fills what the API server fills on create. May change `object`, which is not stored yet. */
  prepareCreate?(object: Record<string, unknown>, uid: string): void;
  /** The reasons to refuse an object that a request creates or updates; `previous` is unset on create. */
  validate?(object: StoredObject, previous: StoredObject | undefined): FieldCause[];
  /** Field selectors beside metadata.name and metadata.namespace. */
  selectable?: Readonly<Record<string, (object: StoredObject) => string>>;
  /** Seconds between the wish to delete and the end; 0 at once. Kinds without it are never graceful. */
  graceSeconds?(object: StoredObject, asked: number | undefined): number;
  /** How it looks while it is being deleted. A kind that has this is removed by a controller only (Namespaces). */
  terminating?(object: StoredObject): StoredObject;
  /** A DELETE that says nothing about dependents lets them live (batch/v1 Jobs). */
  orphansByDefault?: boolean;
  /** A DELETE that removes the object answers with the object instead of a Status (Pods). */
  returnsDeleted?: boolean;
  /** An update must name the version that it replaces. */
  conditionalUpdate?: boolean;
  /** Columns of `kubectl get` between NAME and AGE. */
  columns?: readonly Column[];
}

export interface Column {
  readonly name: string;
  cell(object: StoredObject, now: number): string | number;
}

/** A kind as this server serves it. */
export interface Kind {
  /** `jobs.batch`: unique among stored kinds. */
  readonly id: string;
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** It has a status subresource. */
  readonly status: boolean;
  /** A custom resource: JSON only, no strategic merge patch, and list items that name their kind. */
  readonly custom: boolean;
  /** Its objects count their generations. */
  readonly generation: boolean;
  /** Served from a watch cache: watches get bookmarks, reads at version "0" are never paged. Events are not. */
  readonly cached: boolean;
  /** Its protobuf form, as far as the kind is projected. */
  readonly shape: Shape<unknown> | undefined;
  readonly rules: KindRules;
}
