/**
 * A situation in which alerts fire, and its twins: each differs in exactly one series and nothing fires. So no negative can pass for
 * a reason other than the one it names.
 */
export interface RuleCase {
  readonly alert: string;
  readonly name: string;
  /** Values of each series, one a minute, in promtool's notation. */
  readonly series: Readonly<Record<string, string>>;
  /** When to look, as "30m". */
  readonly at: string;
  readonly fires: readonly ExpectedAlert[];
  readonly twins: readonly Twin[];
}

export interface ExpectedAlert {
  readonly severity: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
}

export interface Twin {
  readonly name: string;
  /** One series of the case. */
  readonly series: string;
  /** Its other values... */
  readonly values?: string;
  /** ...or its other name and labels. */
  readonly renamed?: string;
}
