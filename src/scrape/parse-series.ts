interface Series {
  readonly labels: ReadonlyMap<string, string>;
  /** As the line has them: the same text is the same series. */
  readonly labelText: string;
  readonly value: number;
}

const LABEL = /[ \t]*(?:([A-Za-z_][\w.]*)|"((?:[^"\\]|\\[^])*)")[ \t]*=[ \t]*"((?:[^"\\]|\\[^])*)"[ \t]*(?:,|(?=\}))/y;
const END_OF_LABELS = /[ \t]*\}/y;
/** A value, perhaps a timestamp, and in OpenMetrics perhaps an exemplar, which nobody needs: it is not looked at. Takes linear time. */
const VALUE = /[ \t]*([^\s#]+)(?:[ \t]+[-+\d.eE]+)?[ \t\r]*(?:#|$)/y;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const SPECIAL: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "+inf": Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

/** Reads what stands behind the name in a sample's line: `{resource="pods"} 12 1700000000 # {trace_id="a"} 1`. */
export function parseSeries(text: string): Series | undefined {
  const labels = new Map<string, string>();
  let at = text.length - text.trimStart().length;
  if (text[at] === "{") {
    at = readLabels(text, at + 1, labels);
    if (at < 0) return undefined;
  }
  VALUE.lastIndex = at;
  const [, written = ""] = VALUE.exec(text) ?? [];
  const value = NUMBER.test(written) ? Number(written) : SPECIAL[written.toLowerCase()];
  return value === undefined ? undefined : { labels, labelText: text.slice(0, at).trim(), value };
}

/** Returns where the labels end, or -1 when they cannot be read. */
function readLabels(text: string, from: number, labels: Map<string, string>): number {
  let at = from;
  for (;;) {
    END_OF_LABELS.lastIndex = at;
    if (END_OF_LABELS.test(text)) return END_OF_LABELS.lastIndex;
    LABEL.lastIndex = at;
    const [, bare, quoted, value = ""] = LABEL.exec(text) ?? [];
    const name = bare ?? (quoted === undefined ? undefined : unescaped(quoted));
    if (name === undefined || labels.has(name)) return -1;
    labels.set(name, unescaped(value));
    at = LABEL.lastIndex;
  }
}

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\([\\"n])/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}
