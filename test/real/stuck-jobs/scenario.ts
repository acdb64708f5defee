import type { Place } from "./place.ts";
import type { Webhooks } from "./webhooks.ts";

/** What is brought about in a namespace of its own, which has its name. The steps of all acts are taken in this order, each together. */
export interface Act {
  readonly name: string;
  /** With all controllers at work; resolves when they have done what they do at once. */
  make?(place: Place, webhooks: Webhooks): Promise<void>;
  /** Without the Job controller. */
  withoutJobController?(place: Place): Promise<void>;
  /** Resolves when they have done what takes its time. */
  settle?(place: Place): Promise<void>;
  /** With no controller at work any more. */
  withoutControllers?(place: Place): Promise<void>;
}

/** One way in which something is stuck, and what the sidecar is to say of it. */
export interface Scenario extends Act {
  readonly kind: string;
  readonly reason: string;
  /** `Job/job` unless given; a name that ends with a hyphen is the beginning of it. */
  readonly object?: string;
  /** The object itself unless given. */
  readonly owner?: string;
  /** The time that the API itself gives, RFC 3339; undefined: it gives none. */
  since(place: Place): Promise<string> | undefined;
}

/** For what the API keeps no time of. */
export const observed = (): undefined => undefined;
