import type { CommandModule } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "watch, measure and serve until told to stop: the sidecar",
    load: () => import("./commands/run.ts"),
  },
  {
    name: "demo",
    summary: "see it work, with no cluster: an API server, a controller and faults on this machine",
    load: () => import("./commands/demo.ts"),
  },
  {
    name: "jobs",
    summary: "which Jobs are stuck now, since when and why: in a cluster or in files",
    load: () => import("./commands/jobs.ts"),
  },
  {
    name: "lag",
    summary: "how stale each cache is now, ours and every target's, and how long controllers take",
    load: () => import("./commands/lag.ts"),
  },
  {
    name: "explain",
    summary: "what a stuck kind or an alert means, and what to do about it",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "record",
    summary: "write what happens in a cluster to a file, to be judged later",
    load: () => import("./commands/record.ts"),
  },
  {
    name: "replay",
    summary: "judge what a recording holds, under the clock of the recording",
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "doctor",
    summary: "check that run would work here: cluster, access rules, clocks, tracing",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "version",
    summary: "the version of stalewatch, of Node, and the commit it was built from",
    load: () => import("./commands/version.ts"),
  },
];
