// dump/: objects and recordings in files: what kubectl printed, a must-gather, a recording.
// Promises: what is read gives the same findings as the objects of a live cache; memory is bounded by what is kept, not by the size
// of a file; what is wrong in a file becomes a note with its line, and costs nothing that stands beside it.
// Does not print and does not parse a command line. Start with read-dump.ts, then dump.ts.
export { Dump } from "./dump.ts";
export { dumpName } from "./dump-files.ts";
export { type JudgedOnce, judgeOnce, type JudgeOnceOptions } from "./judge-once.ts";
export { kindsInFiles } from "./kinds-in-files.ts";
export type { Note } from "./notes.ts";
export { type DumpProgress, readDump } from "./read-dump.ts";
export { recordedParents } from "./recorded-parents.ts";
export type { ReplayAnswer, ReplayOptions } from "./replay.ts";
export { type Replayed, replayRecording } from "./replay-recording.ts";
export { record, type RecordOptions } from "./record.ts";
