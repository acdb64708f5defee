import type { Json } from "../kube/index.ts";

/**
 * One line of a recording (docs/jobs.md), its object as parsed. `at` is wall time in milliseconds; `sentAt` when what
 * is told was asked for, where that is known.
 */
export type RecordedLine = { readonly at: number; readonly line: number; readonly sentAt: number | undefined } & (
  | {
      readonly type: "LISTED";
      readonly object: Json;
      readonly namespace?: string;
      /** They are there, beside the items, and could not be read; undefined: not even what they are called. */
      readonly unreadable: readonly (Json | undefined)[];
    }
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
      readonly object: Json;
      /** Whoever recorded could read no more of the object than its metadata. */
      readonly isUnreadable: boolean;
    }
  | { readonly type: "WATCH_ENDED"; readonly apiVersion: string; readonly kind: string; readonly reason: string }
  | { readonly type: "TARGET"; readonly target: string; readonly samples: readonly RecordedSample[] }
  | { readonly type: "PASS" | "END" }
);

export type LineType = RecordedLine["type"];

/** One series of a target's metrics. */
export interface RecordedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
