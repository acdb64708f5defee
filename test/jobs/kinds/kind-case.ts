import type { AgeLimits } from "../../../src/jobs/index.ts";
import type { Scene } from "./scene.ts";

/** What every kind must show: that it sees, that it does not see the healthy look-alike, and since when. */
export interface KindCase {
  readonly id: string;
  /** Where a kind has several cases: which one. */
  readonly case?: string;
  readonly scene: Scene;
  readonly reason: string;
  /** Seconds after `CREATED` from which the age counts. */
  readonly since: number;
  readonly cause?: string;
  /** Ages that follow from the scene instead of the kind's own. */
  readonly limits?: AgeLimits;
  /** Seconds after `since` before which another kind speaks. */
  readonly shownFrom?: number;
  /** The scene with one thing changed, which is healthy for ever (or until a day after the critical age). */
  readonly twin: { readonly but: string; readonly scene: Scene };
}
