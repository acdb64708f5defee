/**
 * A sample's value as both exposition formats write it: shortest digits that read back the same, `+Inf`, `-Inf`, `NaN`
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return `${value}`;
}

/**
 * A bucket's upper bound as Go's clients write it, so that `sum by (le)` over our series and upstream's meets: an exponent below
 * 1e-4 and of at least two digits ("1e-05", where JavaScript writes "0.00001" and "1e-7").
 */
export function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return "+Inf";
  const text = Math.abs(bound) < 1e-4 && bound !== 0 ? bound.toExponential() : `${bound}`;
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** A label's value between its quotes. */
function escapeLabel(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n") : value;
}

/** `a="b",c="d"`: what stands between the braces of a line. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${escapeLabel(value)}"`)
    .join(",");
}

/** A family's help on its line. */
export function escapeHelp(help: string): string {
  return help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
