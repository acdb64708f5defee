import { defined, formatDuration, StalewatchError, systemClock } from "../base/index.ts";
import {
  type Dump,
  dumpName,
  type DumpProgress,
  type JudgedOnce,
  judgeOnce,
  type JudgeOnceOptions,
  kindsInFiles,
  type Note,
  readDump,
} from "../dump/index.ts";
import type { Parents } from "../jobs/index.ts";
import { type Resource, resources } from "../resources/index.ts";
import type { Context } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** A dump whose newest time is older was not made just now. */
const OLD_MS = 10 * 60_000;
/** Smaller files are read before anybody wonders. */
const LARGE = 8 << 20;
const PROGRESS_EVERY_MS = 200;

export interface JobsFromFilesOptions extends Omit<JudgeOnceOptions, "now" | "kinds">, Parents {
  readonly paths: readonly string[];
  /** Wall time in milliseconds; the present unless given. */
  readonly at: number | undefined;
}

export interface JobsFromFiles extends JudgedOnce {
  readonly at: string;
  /** What of the files could not be read, or is doubtful. */
  readonly notes: readonly string[];
}

/**
 * What is stuck in files. Says on standard error what was wrong with them. Errors: `FILE_UNREADABLE`, `NO_OBJECTS`: a wrong file must
 * not look like a healthy cluster.
 */
export async function jobsFromFiles(options: JobsFromFilesOptions, context: Context): Promise<JobsFromFiles> {
  const { terminal, signal } = context;
  const wallNow = systemClock.now();
  const { paths, at: now = wallNow, parents, genericParents } = options;
  const progress = terminal.interactive ? progressLine(terminal) : undefined;
  const dump = await readDump({
    paths,
    stdin: terminal.stdin,
    kinds: kindsInFiles({ parents, genericParents }).kept,
    findParents: genericParents,
    now,
    ...defined({ signal, onProgress: progress?.show }),
  });
  progress?.clear();
  const names = paths.map(dumpName).join(", ");
  addDoubts(dump, names, options.at, wallNow);
  const notes = dump.notes().map(textOf);
  for (const note of notes) terminal.err(`stalewatch: ${note}\n`);
  if (dump.kept === 0) {
    const remedy = "make a dump with kubectl get jobs,pods,cronjobs,events,leases -A -o yaml";
    throw new StalewatchError("NO_OBJECTS", `${names} holds no Jobs and nothing that they have to do with`, remedy);
  }
  const kinds = kindsInFiles({ parents: [...parents, ...dump.parents], genericParents });
  return { at: new Date(now).toISOString(), ...judgeOnce(dump.snapshot, { ...options, kinds, now }), notes };
}

/** What the person who reads the answer must know of the files as a whole. */
function addDoubts(dump: Dump, files: string, at: number | undefined, wallNow: number): void {
  const { newestMs } = dump;
  if (at === undefined && newestMs !== undefined && wallNow - newestMs > OLD_MS) {
    const newest = `${new Date(newestMs).toISOString().slice(0, 19)}Z`;
    const ago = formatDuration(wallNow - newestMs);
    dump.note(
      files,
      undefined,
      `the newest time is ${ago} ago, and ages are as of now; --at ${newest} judges as of then`,
    );
  }
  if (count(dump, resources.jobs) > 0 && count(dump, resources.pods) === 0) {
    dump.note(
      files,
      undefined,
      "there are no pods: what shows in a Job's pods alone is not seen, or taken for missing pods",
    );
  }
}

function count(dump: Dump, resource: Resource): number {
  return [...dump.snapshot.list(resource)].length;
}

function textOf({ file, line, object, message, times }: Note): string {
  const where = line === undefined ? file : `${file} line ${line}`;
  const what = object === undefined ? `: ${message}` : `, ${object}: ${message}`;
  return `${where}${what}${times > 1 ? ` (${times} times)` : ""}`;
}

interface ProgressLine {
  readonly show: (progress: DumpProgress) => void;
  readonly clear: () => void;
}

/** One line that is written over and over, for files that take their time. */
function progressLine(terminal: Pick<Terminal, "err">): ProgressLine {
  let shownAt: number | undefined;
  return {
    show: ({ file, read, size, objects }) => {
      const now = systemClock.monotonic();
      if (read < LARGE || now - (shownAt ?? Number.NEGATIVE_INFINITY) < PROGRESS_EVERY_MS) return;
      shownAt = now;
      const part = size === undefined ? "" : ` of ${megabytes(size)} (${Math.floor((100 * read) / size)}%)`;
      terminal.err(`\r\u001b[Kreading ${file}: ${megabytes(read)}${part}, ${objects} objects`);
    },
    clear: () => {
      if (shownAt !== undefined) terminal.err("\r\u001b[K");
    },
  };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
