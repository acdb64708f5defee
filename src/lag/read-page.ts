import { type Clock, withinMs } from "../base/index.ts";
import { type MetricsPage, ScrapeError } from "../scrape/index.ts";
import type { Target } from "./target.ts";
import { isRead } from "./target-reading.ts";

/** A page that takes longer is not worth waiting for. */
const LONGEST_SCRAPE_MS = 10_000;

/**
 * What is judged of a target's page. It has 10 s to come, or `intervalMs` where that is less. Errors: `ScrapeError`; the signal's reason
 * after its abort.
 */
export async function readPage(
  { address, source }: Pick<Target, "address" | "source">,
  clock: Clock,
  signal: AbortSignal,
  intervalMs: number = LONGEST_SCRAPE_MS,
): Promise<MetricsPage> {
  const ms = Math.min(intervalMs, LONGEST_SCRAPE_MS);
  const tooLate = (): ScrapeError => {
    const what = `${address} has not answered completely within ${ms / 1_000} s`;
    const longer = ms < LONGEST_SCRAPE_MS ? ", or give it a longer --target-interval" : "";
    return new ScrapeError("timeout", what, `check its load and the network${longer}`);
  };
  return await withinMs({ clock, ms, signal, tooLate }, (limited) => source.read({ wanted: isRead, signal: limited }));
}
