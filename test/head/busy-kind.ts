import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HeadTable } from "../../src/head/index.ts";
import { lagBounds } from "../../src/lag/index.ts";

// A kind with 2 000 events a second for hours, event by event: what its head table weighs, and whether the bounds still hold.

const HOUR_MS = 3_600_000;
const EVERY_MS = 0.5;
const READ_EVERY_MS = 15_000;
/** From the commit to the head watch. */
const DELAY_MS = 40;
const FIRST = 1_000;

export interface BusyKind {
  readonly events: number;
  /** Of the table alone, at the end, after garbage collection. */
  readonly bytes: number;
  /** Sightings whose bounds do not contain the truth, or lie further apart than what is old may. */
  readonly wrong: readonly string[];
  readonly sightings: number;
}

export function followBusyKind(hours: number): BusyKind {
  drive(new HeadTable(), 0.1); // so that the code, too, is there before anything is weighed
  const without = heapBytes();
  const table = new HeadTable();
  const answer = drive(table, hours);
  const bytes = heapBytes() - without;
  if (table.newest === 0n) throw new Error("there is no table to weigh");
  return { ...answer, bytes };
}

function drive(table: HeadTable, hours: number): Omit<BusyKind, "bytes"> {
  const wrong: string[] = [];
  let sightings = 0;
  read(table, 0);
  const events = (hours * HOUR_MS) / EVERY_MS;
  for (let index = 0; index < events; index += 1) {
    const at = index * EVERY_MS + DELAY_MS;
    table.event(String(FIRST + index), at);
    if (at % READ_EVERY_MS === 0) read(table, at);
    if ((index + 1) % (HOUR_MS / EVERY_MS) !== 0) continue;
    for (const age of agesUpTo(at)) {
      sightings += 1;
      wrong.push(...faultsAt(table, at, age));
    }
  }
  return { events, wrong, sightings };
}

/** The server's version of a moment; events are the only changes. */
function versionAt(at: number): number {
  return FIRST + Math.floor(at / EVERY_MS);
}

function read(table: HeadTable, sentAt: number): void {
  const newestBefore = table.newest;
  table.read({ version: String(versionAt(sentAt)), sentAt, answeredAt: sentAt + 5, source: "probe", newestBefore });
}

function* agesUpTo(at: number): Iterable<number> {
  for (let age = DELAY_MS; age < at; age = age * 1.3 + 1) yield age;
}

/** A cache that is late by `age`, seen at `at`. */
function faultsAt(table: HeadTable, at: number, age: number): readonly string[] {
  const view = table.view();
  const version = versionAt(at - age);
  const truth = at - (version + 1 - FIRST) * EVERY_MS;
  if (!view || truth < 0) return [];
  const seen = { version: BigInt(version), sentAt: at, receivedAt: at, scope: "same" } as const;
  const { minMs, maxMs = Infinity } = lagBounds(view, seen);
  const widest = READ_EVERY_MS + DELAY_MS + truth / 8 + 100;
  const holds = minMs <= truth && truth <= maxMs && maxMs - minMs <= widest;
  return holds ? [] : [`at ${at}: ${minMs} <= ${truth} <= ${maxMs}, ${widest} wide at most`];
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
