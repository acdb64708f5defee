import { compareText, counted, formatDuration, oneLine } from "../base/index.ts";
import type { CachesAnswer, CacheView, DelayView } from "../http/index.ts";
import { plainTable, type TableRow } from "./plain-table.ts";
import { type Style, styled, type Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

const HEAD = ["TARGET", "NAME", "RESOURCE", "STATE", "LAG", "BEHIND", "CONFIRMED"];
const STATE = 3;
/** How many columns, from the first, hold names. */
const NAMES = 3;
const DELAY_HEAD = ["DELAY", "RESOURCE", "COUNT", "P50", "P90", "P99"];
const DELAY_NAMES = 2;
const MARGIN = 2;
const INDENT = "  ";

/** The worst first. */
const STATES: readonly CacheView["state"][] = ["stalled", "lagging", "rewind", "unknown", "stopped", "fresh"];

const COLOURS: Readonly<Record<string, Style>> = {
  stalled: "red",
  lagging: "red",
  rewind: "yellow",
  unknown: "yellow",
};

const DELAYS: Readonly<Record<DelayView["delay"], string>> = {
  cronjob_schedule: "due -> Job created",
  job_start: "created -> started",
  job_completion: "last pod ended -> Complete",
  observed_generation: "changed -> observed",
};

/**
 * How stale caches are, as kubectl prints lists: a line a cache, the worst first, and under those of which nothing is known the reason.
 * Below, how long controllers took. No line is longer than `terminal.columns`.
 */
export function lagTable(
  { caches, delays }: Pick<CachesAnswer, "caches" | "delays">,
  terminal: Pick<Terminal, "columns" | "colour">,
): string {
  const { columns, colour } = terminal;
  const summary = wrap(summaryOf(caches), columns);
  const parts = [
    ...(caches.length > 0 ? [cachesTable(caches, columns, colour)] : []),
    ...(delays.length > 0 ? [delaysTable(delays, columns)] : []),
    summary,
  ];
  return `${parts.join("\n\n")}\n`;
}

function cachesTable(caches: readonly CacheView[], columns: number, colour: boolean): string {
  const sorted = caches.toSorted(byUrgency);
  const rows = sorted.flatMap((cache, index): TableRow[] => {
    const { target, name, state, lagMinSeconds, lagMaxSeconds, eventsBehind, why } = cache;
    const lag = span(lagMinSeconds, lagMaxSeconds);
    const behind = eventsBehind === null ? "-" : String(eventsBehind);
    const cells = [target, name, kindOf(cache), state, lag, behind, confirmedOf(cache)].map(oneLine);
    // A reason that the next one shares stands below that.
    const isToldBelow = why === undefined || why === sorted[index + 1]?.why;
    return isToldBelow ? [cells] : [cells, wrap(oneLine(why), columns - MARGIN, INDENT)];
  });
  const paint = (cell: string, at: number): string => {
    const style = at === STATE ? COLOURS[cell] : undefined;
    return style === undefined ? cell : styled({ colour }, style, cell);
  };
  return plainTable(HEAD, rows, { columns, flexible: NAMES, paint });
}

function byUrgency(a: CacheView, b: CacheView): number {
  return (
    STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
    (b.lagMinSeconds ?? 0) - (a.lagMinSeconds ?? 0) ||
    compareText(a.why ?? "", b.why ?? "") ||
    mostOf(b) - mostOf(a) ||
    compareText(a.target, b.target) ||
    compareText(a.resource, b.resource)
  );
}

function mostOf({ lagMaxSeconds }: CacheView): number {
  return lagMaxSeconds ?? Number.MAX_VALUE;
}

/** Bounds as a person reads them: rounded outwards, so that the truth stays between them. */
function span(min: number | null, max: number | null): string {
  if (min === null || (max === null && min === 0)) return "-";
  const least = rounded(min, Math.floor);
  if (max === null) return `>=${textOf(least)}`;
  const most = rounded(max, Math.ceil);
  if (least === most) return textOf(least);
  // One unit is enough where both have it.
  return most < 60 ? `${least}-${most}s` : `${textOf(least)}-${textOf(most)}`;
}

function rounded(seconds: number, round: (value: number) => number): number {
  return seconds < 10 ? round(seconds * 10) / 10 : round(seconds);
}

function textOf(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : formatDuration(seconds * 1_000);
}

function confirmedOf({ confirmedBy, confirmedSecondsAgo }: CacheView): string {
  if (confirmedBy === null || confirmedSecondsAgo === null) return "-";
  return `${textOf(rounded(confirmedSecondsAgo, Math.round))} ago, ${confirmedBy}`;
}

function kindOf({ group, resource }: Pick<CacheView, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function delaysTable(delays: readonly DelayView[], columns: number): string {
  const rows = delays.map(({ delay, percentiles, count, ...kind }) => {
    const { p50, p90, p99 } = percentiles;
    const spans = [p50, p90, p99].map(({ minSeconds, maxSeconds }) => span(minSeconds, maxSeconds));
    return [DELAYS[delay] ?? oneLine(delay), oneLine(kindOf(kind)), String(count), ...spans];
  });
  return plainTable(DELAY_HEAD, rows, { columns, flexible: DELAY_NAMES });
}

function summaryOf(caches: readonly CacheView[]): string {
  if (caches.length === 0) return "There are no caches to look at.";
  const counts = STATES.flatMap((state) => {
    const count = caches.filter((cache) => cache.state === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });
  return `${counts.join(", ")}; ${counted(caches.length, "cache")} looked at.`;
}
