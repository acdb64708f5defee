import type { Place } from "./load.ts";
import type { PodStep } from "../harness/index.ts";

/** What becomes of a Job, from its creation to its end, in under three minutes. */
export interface Life {
  readonly name: string;
  readonly spec?: object;
  /** Of the Job's pods. */
  readonly pod?: object;
  /** The steps of each pod: `made` counts the Job's earlier pods, `seconds` is how long its work takes. */
  readonly steps: (pod: {
    readonly made: number;
    readonly index: string;
    readonly seconds: number;
  }) => readonly PodStep[];
  /** What somebody does to the Job, so many seconds after its creation. */
  readonly acts?: readonly { readonly after: number; readonly act: (place: Place, job: string) => Promise<unknown> }[];
  /** "" for one that is still at work, and "gone" for one that is deleted. */
  readonly end: string;
}

const indexed = { completionMode: "Indexed", completions: 4, parallelism: 2 };

function works(seconds: number, end: PodStep = "succeeded"): readonly PodStep[] {
  return [{ waiting: "ContainerCreating" }, { seconds: 2 }, "running", { seconds }, end];
}

/** Each looks like a stuck one for a while, but the first. */
export const lives: readonly Life[] = [
  { name: "succeeds", steps: ({ seconds }) => works(seconds), end: "Complete CompletionsReached" },
  {
    name: "runs-on",
    steps: () => works(3_600),
    end: "",
  },
  {
    name: "retries",
    spec: { backoffLimit: 4 },
    steps: ({ made }) => works(5, made < 2 ? "failed" : "succeeded"),
    end: "Complete CompletionsReached",
  },
  {
    name: "fails",
    spec: { backoffLimit: 0 },
    steps: ({ seconds }) => works(seconds, "failed"),
    end: "Failed BackoffLimitExceeded",
  },
  {
    name: "created-suspended",
    spec: { suspend: true },
    steps: ({ seconds }) => works(seconds),
    acts: [{ after: 30, act: (place, job) => place.patchJob(job, { suspend: false }) }],
    end: "Complete CompletionsReached",
  },
  {
    name: "suspended-at-work",
    steps: ({ made, seconds }) => works(made === 0 ? 3_600 : seconds),
    acts: [
      { after: 15, act: (place, job) => place.patchJob(job, { suspend: true }) },
      { after: 35, act: (place, job) => place.patchJob(job, { suspend: false }) },
    ],
    end: "Complete CompletionsReached",
  },
  {
    name: "index-retries",
    spec: { ...indexed, backoffLimitPerIndex: 2 },
    steps: ({ made, seconds }) => works(seconds / 2, made === 1 ? "failed" : "succeeded"),
    end: "Complete CompletionsReached",
  },
  {
    name: "index-fails",
    spec: { ...indexed, backoffLimitPerIndex: 0 },
    steps: ({ index, seconds }) => works(seconds / 2, index === "0" ? "failed" : "succeeded"),
    end: "Failed FailedIndexes",
  },
  {
    name: "in-time",
    spec: { activeDeadlineSeconds: 120 },
    steps: ({ seconds }) => works(seconds),
    end: "Complete CompletionsReached",
  },
  {
    name: "out-of-time",
    spec: { activeDeadlineSeconds: 30 },
    steps: () => works(3_600),
    end: "Failed DeadlineExceeded",
  },
  {
    name: "restarts",
    pod: { restartPolicy: "OnFailure" },
    steps: ({ seconds }) => ["running", { seconds: 5 }, "crashed", { seconds: 10 }, ...works(seconds)],
    end: "Complete CompletionsReached",
  },
  {
    name: "work-queue",
    spec: { parallelism: 3 },
    steps: ({ made, seconds }) => works(seconds + made),
    end: "Complete CompletionsReached",
  },
  {
    name: "waits-for-a-node",
    steps: ({ seconds }) => [
      { unplaced: "0/3 nodes are available: 3 Insufficient cpu." },
      { seconds: 25 },
      ...works(seconds),
    ],
    end: "Complete CompletionsReached",
  },
  {
    name: "slow-pull",
    steps: ({ seconds }) => [
      { waiting: "ErrImagePull", message: "toomanyrequests" },
      { seconds: 10 },
      { waiting: "ImagePullBackOff", message: "Back-off pulling image" },
      { seconds: 20 },
      ...works(seconds),
    ],
    end: "Complete CompletionsReached",
  },
  {
    name: "loses-its-pod",
    steps: ({ made, seconds }) => works(made === 0 ? 3_600 : seconds),
    acts: [{ after: 20, act: (place, job) => place.deletePods(job) }],
    end: "Complete CompletionsReached",
  },
  {
    name: "leaves-early",
    spec: { ttlSecondsAfterFinished: 10 },
    steps: ({ seconds }) => works(seconds),
    end: "gone",
  },
  {
    name: "deleted-at-work",
    steps: () => works(3_600),
    acts: [{ after: 25, act: (place, job) => place.deleteJob(job) }],
    end: "gone",
  },
];
