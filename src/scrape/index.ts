// scrape/: reading other people's /metrics.
// Promises: bounded in bytes, in the length of a line and in samples; whatever answers, the outcome is a page or a typed error with a
// remedy; no token, and nothing that came in a redirect or a body, gets into an error.
// Does not know what the samples mean, follows no redirect and sets no time limit: that is the caller's signal.
// Start with metrics-endpoint.ts, then exposition-parser.ts.
export { ExpositionParser, type ExpositionLimits } from "./exposition-parser.ts";
export { MetricsEndpoint, type MetricsEndpointOptions } from "./metrics-endpoint.ts";
export type { MetricsPage, MetricsSource, Sample } from "./metrics-page.ts";
export { SCRAPE_REASONS, ScrapeError } from "./scrape-error.ts";
