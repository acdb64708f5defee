import type { ManagedController } from "../controller/index.ts";
import type { LeaderElectorOptions } from "../election/index.ts";
import type { LimitRules, Parents } from "../jobs/index.ts";
import type { Cluster } from "../kube/index.ts";
import type { Target } from "../lag/index.ts";
import type { Env } from "../telemetry/index.ts";

/** A kind as a URL of the API server names it. */
export interface WatchedKind {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
}

/** Where things are served, as `parseBindAddress` reads it; "0" switches a listener off. */
export interface ListenAddresses {
  metrics: string;
  health: string;
  status: string;
}

export interface SidecarOptions extends Partial<Parents> {
  /** Its connections are closed by whoever opened it, after `run` has ended. */
  cluster: Pick<Cluster, "server" | "transport">;
  /** Watch Jobs and pods of these only; all when empty or unset. */
  namespaces?: readonly string[];
  /** Further kinds to keep a cache of, metadata only. */
  watch?: readonly WatchedKind[];
  /** Run in this process beside our own, with the same metrics and caches of their own. What they write is their business. */
  controllers?: readonly ManagedController[];
  listen: ListenAddresses;
  /** false lets /metrics be bound to an address that others can reach, in plain HTTP. */
  metricsSecure?: boolean;
  /** 10 minutes unless given. */
  syncPeriodMs?: number;
  /** How often the version of each cached kind is read; 15 s unless given, 0 never (then no lag has an upper bound). */
  probeIntervalMs?: number;
  /** How late a cache may be and still be fresh; 30 s unless given. */
  lagBudgetMs?: number;
  /** true fails `/readyz` while a cache of our own is late by more than that, stalled, or holds what a restore took back. */
  strictReadiness?: boolean;
  /** Write to a Lease and a Job of our own in this namespace, so often (at least a second): what is written shows what arrives. */
  heartbeat?: { readonly namespace: string; readonly intervalMs: number };
  /** Other people's processes whose caches are judged too. Their sources are closed at the end of `run`. */
  targets?: readonly Target[];
  /** 15 s unless given. */
  targetIntervalMs?: number;
  /** Passes over Jobs at once; 2 unless given. */
  concurrency?: number;
  /** Calls to the API server a second, and at once; no limit unless given. */
  qps?: number;
  burst?: number;
  featureGates?: string;
  /** Stand for election by this lease. It says who may write; measuring and serving go on without it. */
  leaderElection?: Pick<LeaderElectorOptions, "lease" | "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs">;
  /** Ages from which Jobs are reported that differ from the kinds' own. */
  limits?: LimitRules;
  /** Series with the name of an object, each metric; 5000 unless given. */
  maxSeries?: number;
  /** Also export the traces of passes that changed nothing. */
  traceNoop?: boolean;
  /** Shown by `stalewatch_build_info` and in the user agent. */
  version: string;
  env?: Pick<Partial<Env>, "clock" | "random" | "log">;
}
