/**
 * One alert as data. Names start with "Stalewatch" so that no route or inhibition made for other rules takes hold of them, and the
 * name is also that of its runbook.
 */
export interface AlertRule {
  readonly name: `Stalewatch${string}`;
  readonly severity: "critical" | "warning" | "info";
  readonly expr: string;
  /** How long `expr` must hold before it fires. */
  readonly for?: string;
  /** How long it goes on after `expr` stopped holding: over a restart of what is measured, or a missed scrape. */
  readonly keepFiringFor?: string;
  /** One short line; may use labels. */
  readonly summary: string;
  /** What it means, with the labels' and the measured value; says what is at stake, the runbook says what to do. */
  readonly description: string;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}
