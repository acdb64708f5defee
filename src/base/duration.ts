import { StalewatchError } from "./errors.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Reads a duration as Kubernetes flags write it ("300ms", "1.5h", "1h30m", "-5s", "0") into milliseconds.
 * Errors: `BAD_DURATION` names the text and shows the form.
 */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (/^[+-]?0$/.test(trimmed)) return 0;
  const match = /^([+-]?)((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/.exec(trimmed);
  if (!match) {
    throw new StalewatchError("BAD_DURATION", `"${text}" is not a duration`, 'write it as "30s", "10m" or "1h30m"');
  }
  let total = 0;
  for (const [, amount, unit] of (match[2] ?? "").matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  }
  return match[1] === "-" ? -total : total;
}

/** Milliseconds as people read them: "350ms", "1.5s", "41s", "12m5s", "3h20m", "2d4h". At most two units. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 10_000 && ms % 1_000 !== 0) return `${Number((ms / 1_000).toFixed(1))}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), "m", seconds % 60, "s");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return pair(Math.floor(minutes / 60), "h", minutes % 60, "m");
  return pair(Math.floor(minutes / 1_440), "d", Math.floor((minutes % 1_440) / 60), "h");
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
