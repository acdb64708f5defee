/** One sample of a page. */
export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** May be NaN or infinite. */
  readonly value: number;
}

/** What was wanted of one answer of a /metrics. */
export interface MetricsPage {
  /** In the order of the page, each series once: the first. */
  readonly samples: readonly Sample[];
  /** What `# TYPE` says of the wanted names, where it does. */
  readonly types: ReadonlyMap<string, string>;
  /** Series that came again and were left out. */
  readonly duplicates: number;
  /** Lines that could not be read and were left out. */
  readonly malformed: number;
}

/** Where a page comes from. */
export interface MetricsSource {
  /** One page, with only the samples whose name is `wanted`. Errors: `ScrapeError`; the signal's reason after its abort. */
  read(options: { wanted: (name: string) => boolean; signal: AbortSignal }): Promise<MetricsPage>;
  /** Ends its connections. */
  close(): Promise<void>;
}
