import type { MetricsSource } from "../scrape/index.ts";

/**
 * "all": its caches hold every object of their kinds. "unknown": they may hold fewer; then nothing proves that one is late, only that it
 * is not.
 */
export type TargetScope = "all" | "unknown";

/** Somebody else's process whose caches are judged by what it publishes of them. */
export interface Target {
  /** Unique among the targets; "self" is this process. */
  readonly name: string;
  /** Where it is, for people: no query, no credentials. */
  readonly address: string;
  readonly source: MetricsSource;
  /** Unless given, "all" for the caches of a kube-controller-manager and "unknown" for others. */
  readonly scope?: TargetScope;
}
