import { z } from "zod";
import type { CachesAnswer } from "../http/index.ts";
import { askServer, type AskOptions } from "./ask-server.ts";

/** What is printed of an answer; whatever else it has passes through to JSON. */
const cache = z.looseObject({
  target: z.string(),
  name: z.string(),
  group: z.string(),
  resource: z.string(),
  state: z.enum(["fresh", "lagging", "stalled", "stopped", "rewind", "unknown"]),
  lagMinSeconds: z.number().nullable(),
  lagMaxSeconds: z.number().nullable(),
  eventsBehind: z.number().nullable(),
  confirmedBy: z.string().nullable(),
  confirmedSecondsAgo: z.number().nullable(),
  why: z.string().optional(),
});

const bounds = z.looseObject({ minSeconds: z.number(), maxSeconds: z.number() });

const delay = z.looseObject({
  delay: z.string(),
  group: z.string(),
  resource: z.string(),
  count: z.number(),
  percentiles: z.looseObject({ p50: bounds, p90: bounds, p99: bounds }),
});

const answer = z.looseObject({ at: z.string(), caches: z.array(cache), delays: z.array(delay) });

/** How stale a running sidecar says caches are. Errors: those of `askServer`. */
export async function lagFromServer(options: Omit<AskOptions<unknown>, "path" | "schema">): Promise<CachesAnswer> {
  const read = await askServer({ ...options, path: "caches", schema: answer });
  // Checked as far as it is used here; the rest is only printed.
  return read as unknown as CachesAnswer;
}
