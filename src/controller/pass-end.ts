import type { Requeue } from "../requeue/index.ts";
import type { Rescue } from "./fallback-pass.ts";
import type { StaleCache } from "./stale-waits.ts";

/** How a pass ended, and what it asks of the queue. */
export type PassEnd =
  | {
      readonly outcome: "changed" | "noop";
      readonly requeue: Requeue | undefined;
      /** What a pass that changed something has repaired by it. */
      readonly rescue?: Rescue | undefined;
    }
  | { readonly outcome: "skipped"; readonly stale: readonly StaleCache[]; readonly requeue: Requeue }
  | { readonly outcome: "error"; readonly error: unknown }
  | { readonly outcome: "terminal"; readonly error: unknown };
