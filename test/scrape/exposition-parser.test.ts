import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExpositionParser, type ExpositionLimits, type MetricsPage, ScrapeError } from "../../src/scrape/index.ts";

const all = (): boolean => true;

function parse(
  text: string | Uint8Array,
  wanted: (name: string) => boolean = all,
  limits?: ExpositionLimits,
): MetricsPage {
  const parser = new ExpositionParser(wanted, limits);
  parser.push(typeof text === "string" ? Buffer.from(text) : text);
  return parser.end();
}

function longLine(at: number): string {
  return `up{a="${at}${"x".repeat(16_000)}"} 1\n`;
}

/** Each sample as `[name, labels, value]`. */
function samplesOf({ samples }: MetricsPage): unknown[] {
  return samples.map(({ name, labels, value }) => [name, Object.fromEntries(labels), value]);
}

/** What `act` gives, or the code that it throws. */
function codeOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown instanceof ScrapeError ? thrown.code : thrown;
  }
}

describe("a page of metrics", () => {
  it.each([
    ["up 1", ["up", {}, 1]],
    ["up\t1", ["up", {}, 1]],
    ["  up 1  ", ["up", {}, 1]],
    ["up 1\r", ["up", {}, 1]],
    ["up{} 1", ["up", {}, 1]],
    ['up{a="b"}1', ["up", { a: "b" }, 1]],
    ['up {a="b"} 1', ["up", { a: "b" }, 1]],
    ['up{a="b",} 1', ["up", { a: "b" }, 1]],
    ['up{ a = "b" , c="d" } 1', ["up", { a: "b", c: "d" }, 1]],
    ['up{"a.b"="c"} 1', ["up", { "a.b": "c" }, 1]],
    ['up{a="x\\ny\\"z\\\\"} 1', ["up", { a: 'x\ny"z\\' }, 1]],
    ['up{a="}{ 1 #"} 2', ["up", { a: "}{ 1 #" }, 2]],
    ['up{__proto__="x"} 1', ["up", Object.fromEntries([["__proto__", "x"]]), 1]],
    ["up 1 1700000000123", ["up", {}, 1]],
    ['up_bucket{le="1"} 2 # {trace_id="a b"} 0.5 1700000000.1', ["up_bucket", { le: "1" }, 2]],
    ["up 1.234567e+06", ["up", {}, 1_234_567]],
    ["up +Inf", ["up", {}, Number.POSITIVE_INFINITY]],
    ["up -Inf", ["up", {}, Number.NEGATIVE_INFINITY]],
    ["up NaN", ["up", {}, Number.NaN]],
    ["up 999999999999999", ["up", {}, 999_999_999_999_999]],
    ["up 1234567890123456", ["up", {}, 1_234_567_890_123_456]],
    ["up", undefined],
    ["up one", undefined],
    ["up 0x10", undefined],
    ["up 1 2 3", undefined],
    ["up{a=b} 1", undefined],
    ['up{a="b" c="d"} 1', undefined],
    ['up{a="b} 1', undefined],
    ['up{a="b",a="c"} 1', undefined],
    ["-up 1", undefined],
    ["<!doctype html>", undefined],
  ])("%j gives %j, or is counted as malformed", (line, sample) => {
    const page = parse(`${line}\n`);
    expect(samplesOf(page)).toEqual(sample ? [sample] : []);
    expect(page.malformed).toBe(sample ? 0 : 1);
  });

  it("has comments, empty lines and an end that cost nothing, and types that are noted", () => {
    const page = parse("# HELP up It is.\n# TYPE up counter\n\n# just a word\nup 1\n# EOF");
    expect(samplesOf(page)).toEqual([["up", {}, 1]]);
    expect([...page.types]).toEqual([["up", "counter"]]);
    expect(page.malformed).toBe(0);
  });

  it("keeps what is wanted only, and of a series that comes twice the first", () => {
    const page = parse('up{a="1"} 1\nup{a="1"} 2\nup{a="2"} 3\ndown 4\n', (name) => name === "up");
    expect(samplesOf(page)).toEqual([
      ["up", { a: "1" }, 1],
      ["up", { a: "2" }, 3],
    ]);
    expect(page.duplicates).toBe(1);
  });

  it("is the same however its bytes are cut", () => {
    const text = 'a{x="é☃"} 1\nb 2\n# TYPE c gauge\nc{y="\\n"} 3 4\nlast 5';
    const whole = samplesOf(parse(text));
    expect(whole).toHaveLength(4);
    const bytes = Buffer.from(text);
    for (let size = 1; size < bytes.length; size += 1) {
      const parser = new ExpositionParser(all);
      for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
      expect(samplesOf(parser.end())).toEqual(whole);
    }
  });

  it("may have lines without end: they are malformed, and not kept", () => {
    const long = Buffer.alloc(200, "x");
    const parser = new ExpositionParser(all, { maxLineBytes: 100 });
    for (let time = 0; time < 50; time += 1) parser.push(long);
    parser.push(Buffer.from("\nup 1\n"));
    parser.push(Buffer.from(`up{a="${"x".repeat(100)}"} 2\n`));
    const page = parser.end();
    expect(samplesOf(page)).toEqual([["up", {}, 1]]);
    expect(page.malformed).toBe(2);
  });

  it("takes no longer for a line because of what stands behind its value", () => {
    // A reader that tries every `#` anew would be at this for minutes.
    const page = parse(`up 1 ${"#".repeat(15_000)}\rx\n`.repeat(1_000));
    expect(samplesOf(page)).toEqual([["up", {}, 1]]);
  });

  it("is cut off when it is too large, or has too many samples", () => {
    expect(codeOf(() => parse("down 1\n".repeat(100), () => false, { maxBytes: 699 }))).toBe("SCRAPE_TOO_LARGE");
    expect(codeOf(() => parse("down 1\n".repeat(100), () => false, { maxBytes: 700 }))).toMatchObject({
      samples: [],
    });
    const many = Array.from({ length: 11 }, (_, at) => `up{a="${at}"} 1\n`).join("");
    expect(codeOf(() => parse(many, all, { maxSamples: 10 }))).toBe("SCRAPE_TOO_MANY_SAMPLES");
    expect(codeOf(() => parse(many, all, { maxSamples: 11 }))).toMatchObject({ malformed: 0 });
  });

  it("is cut off when what is wanted of it would fill the memory, however few the lines", () => {
    const pages = [Array.from({ length: 600 }, (_, at) => longLine(at)).join(""), longLine(0).repeat(600)];
    expect(codeOf(() => parse(pages[0] ?? ""))).toBe("SCRAPE_TOO_LARGE");
    expect(codeOf(() => parse(pages[1] ?? ""))).toMatchObject({ duplicates: 599 });
    expect(codeOf(() => parse(pages[0] ?? "", () => false))).toMatchObject({ samples: [] });
    const types = Array.from({ length: 600 }, (_, at) => `# TYPE up${at}${"x".repeat(16_000)} gauge\n`).join("");
    expect(codeOf(() => parse(types))).toBe("SCRAPE_TOO_LARGE");
  });
});

const name = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,20}$/);
const label = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,20}$/);
const hostile = fc.string({ unit: "binary", maxLength: 40 });
const value = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, 1e15, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, Number.NaN),
);
const series = fc.record({ name, labels: fc.dictionary(label, hostile, { maxKeys: 5 }), value });

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
}

/** As the text format writes it. */
function rendered(sample: { name: string; labels: Record<string, string>; value: number }): string {
  const labels = Object.entries(sample.labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  const number = Object.is(sample.value, -0) ? "-0" : String(sample.value).replace("Infinity", "Inf");
  return `${sample.name}${labels.length > 0 ? `{${labels.join(",")}}` : ""} ${number}\n`;
}

describe("for every page", () => {
  it("what is rendered is read again, also with hostile labels", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(series, { selector: ({ name: of, labels }) => of + JSON.stringify(labels) }),
        (samples) => {
          const page = parse(samples.map(rendered).join(""));
          const expected = samples.map((sample) => [
            sample.name,
            // Half of a surrogate pair has no UTF-8.
            Object.fromEntries(Object.entries(sample.labels).map(([key, text]) => [key, text.toWellFormed()])),
            sample.value,
          ]);
          expect(page.malformed).toBe(0);
          expect(page.duplicates + page.samples.length).toBe(samples.length);
          if (page.duplicates === 0) expect(samplesOf(page)).toEqual(expected);
        },
      ),
    );
  });

  it("whatever bytes come are read, refused with a reason, or counted, within the bounds", () => {
    const limits = { maxBytes: 2_000, maxLineBytes: 100, maxSamples: 10 };
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: "binary", maxLength: 300 }).map((text) => Buffer.from(text)),
      fc.stringMatching(/^[a{}="\\, #\n1e.]{0,300}$/).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 10 }), (chunks) => {
        const parser = new ExpositionParser(all, limits);
        try {
          for (const chunk of chunks) parser.push(chunk);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ScrapeError);
          return;
        }
        expect(parser.end().samples.length).toBeLessThanOrEqual(limits.maxSamples);
      }),
    );
  });
});
