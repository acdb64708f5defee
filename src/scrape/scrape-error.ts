import { StalewatchError } from "../base/index.ts";

/** Why a page could not be had; the values of the label `reason`. */
export const SCRAPE_REASONS = [
  "unreachable",
  "connection_lost",
  "timeout",
  "tls_untrusted",
  "tls_name",
  "not_tls",
  "credentials",
  "unauthorized",
  "forbidden",
  "redirected",
  "bad_status",
  "not_metrics",
  "too_large",
  "too_many_samples",
] as const;

export type ScrapeReason = (typeof SCRAPE_REASONS)[number];

/** A page that could not be had. `code` is `SCRAPE_` and the reason in capitals (docs/errors.md). */
export class ScrapeError extends StalewatchError {
  override readonly name: string = "ScrapeError";
  readonly reason: ScrapeReason;
  /** The message without the remedy. */
  readonly what: string;

  constructor(reason: ScrapeReason, what: string, remedy: string, cause?: unknown) {
    super(codeOf(reason), what, remedy, { cause });
    this.reason = reason;
    this.what = what;
  }
}

function codeOf(reason: ScrapeReason): `SCRAPE_${Uppercase<ScrapeReason>}` {
  return `SCRAPE_${reason.toUpperCase() as Uppercase<ScrapeReason>}`;
}
