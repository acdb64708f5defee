import { msAt } from "./time.ts";
import type { Wire } from "./wire.ts";

/** A line of a recording; `at` in seconds from the start of the case. */
export interface TapeLine {
  readonly at: number;
  readonly type: "LISTED" | "ADDED" | "MODIFIED" | "DELETED" | "WATCH_ENDED" | "END";
  readonly [field: string]: unknown;
}

/** Takes down what a cluster's watches would have told, in any order. */
export class Tape {
  readonly #lines: TapeLine[] = [];

  add(at: number, ...objects: readonly Wire[]): void {
    for (const object of objects) this.#lines.push({ at, type: "ADDED", object });
  }

  change(at: number, ...objects: readonly Wire[]): void {
    for (const object of objects) this.#lines.push({ at, type: "MODIFIED", object });
  }

  remove(at: number, ...objects: readonly Wire[]): void {
    for (const object of objects) this.#lines.push({ at, type: "DELETED", object });
  }

  /** All objects of a kind, as one list. */
  list(at: number, apiVersion: string, kind: string, items: readonly Wire[]): void {
    this.#lines.push({ at, type: "LISTED", object: { apiVersion, kind: `${kind}List`, metadata: {}, items } });
  }

  watchEnded(at: number, apiVersion: string, kind: string, reason: string): void {
    this.#lines.push({ at, type: "WATCH_ENDED", apiVersion, kind, reason });
  }

  /** In order of time, each object with the version of its line, up to an end. */
  lines(end: number): readonly TapeLine[] {
    const told = this.#lines.toSorted((a, b) => a.at - b.at).filter(({ at }) => at <= end);
    return [...told.map(versioned), { at: end, type: "END" }];
  }
}

const FIRST_VERSION = 1_000;

function versioned(line: TapeLine, index: number): TapeLine {
  const object = line["object"] as (Wire & { readonly items?: readonly Wire[] }) | undefined;
  if (!object) return line;
  const resourceVersion = String(FIRST_VERSION + index);
  const items = object.items?.map((item) => ({ ...item, metadata: { ...item.metadata, resourceVersion } }));
  return {
    ...line,
    object: { ...object, metadata: { ...object.metadata, resourceVersion }, ...(items ? { items } : {}) },
  };
}

/** The lines that somebody would have recorded who began at `at`: what is there then, a list a kind, and what comes after. */
export function from(lines: readonly TapeLine[], at: number): readonly TapeLine[] {
  const kinds = new Map<string, Map<string, Wire>>();
  const keep = (object: Wire): Map<string, Wire> => {
    const id = `${object.apiVersion} ${object.kind}`;
    const known = kinds.get(id) ?? new Map<string, Wire>();
    kinds.set(id, known);
    return known;
  };
  for (const line of lines.filter((one) => one.at <= at)) {
    const object = line["object"] as (Wire & { readonly items?: readonly Wire[] }) | undefined;
    if (!object) continue;
    if (object.items) {
      keep({ ...object, kind: object.kind.replace(/List$/, "") }).clear();
      for (const item of object.items) keep(item).set(item.metadata.uid, item);
    } else if (line.type === "DELETED") keep(object).delete(object.metadata.uid);
    else keep(object).set(object.metadata.uid, object);
  }
  const lists = [...kinds].map(([id, objects]): TapeLine => {
    const [apiVersion, kind] = id.split(" ");
    const object = { apiVersion, kind: `${kind}List`, metadata: {}, items: [...objects.values()] };
    return { at, type: "LISTED", object };
  });
  return [...lists, ...lines.filter((line) => line.at > at)];
}

/** As NDJSON. `header` stands in the first line, beside what every reader looks at. */
export function textOf(lines: readonly TapeLine[], header: object = {}): string {
  return lines
    .map(({ at, ...rest }, index) => {
      return `${JSON.stringify({ at: new Date(msAt(at)).toISOString(), ...rest, ...(index === 0 ? header : {}) })}\n`;
    })
    .join("");
}
