import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { resources } from "../../src/resources/index.ts";
import { dumpOf, jsonList, wireJob } from "./files.ts";

/** The Jobs of a dump in YAML, and its notes with their lines. */
async function read(text: string): Promise<{ jobs: readonly unknown[]; notes: readonly string[] }> {
  const dump = await dumpOf(text);
  const notes = dump.notes().map(({ line, message }) => `${line}: ${message}`);
  return { jobs: [...dump.snapshot.list(resources.jobs)], notes };
}

const texts = fc.oneof(
  fc.string(),
  // What looks like a block that is left out, where it is only text.
  fc.constantFrom("a\nmanagedFields:\n  b: c\n", "  template:\n  - x\n\n# y\n", "metadata:", "- kind: Pod\n  spec:\n"),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, texts, fc.integer(), fc.boolean(), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.stringMatching(/^[a-z][\w.:-]{0,8}$/), tie("value"), { maxKeys: 3 }),
})).value;

describe("a YAML dump, of which blocks that nobody keeps are not read,", () => {
  it("gives the same objects as JSON, whatever is in these blocks and between them", async () => {
    const layouts = fc.record({
      indentSeq: fc.boolean(),
      lineWidth: fc.constantFrom(0, 40, 80),
      newline: fc.constantFrom("\n", "\r\n"),
    });
    await fc.assert(
      fc.asyncProperty(values, values, values, texts, layouts, async (managedFields, template, extra, note, layout) => {
        const { metadata, spec, status, ...type } = wireJob("a");
        const job = {
          ...type,
          extra,
          metadata: { managedFields, ...metadata, annotations: { note, more: note } },
          spec: { extra, ...spec, template },
          status: { ...status, extra },
        };
        const { newline, ...options } = layout;
        const yaml = stringify(
          { apiVersion: "v1", items: [job, wireJob("b")], kind: "List" },
          { ...options, aliasDuplicateObjects: false },
        );
        const lines = newline === "\n" || yaml.includes("\r") ? yaml : yaml.replaceAll("\n", newline);
        expect(await read(lines)).toEqual(await read(jsonList([job, wireJob("b")])));
      }),
      { numRuns: 300 },
    );
  });

  const whole = stringify(wireJob("a"));

  it.each([
    [
      "a name given in such a block and used outside of it",
      whole.replace("  template:\n", "  template:\n    of: &of 7\n").replace("active: 1", "active: *of"),
      { status: { active: 7 } },
    ],
    ["a block in braces", whole.replace(/ {2}template:[^]*?(?=status:)/, "  template:\n    {a: [\n    b]}\n"), {}],
    [
      "an object in braces",
      `apiVersion: batch/v1\nkind: Job\nmetadata: ${JSON.stringify(wireJob("a").metadata)}\nspec:\n  {parallelism: 7,\n  template:\n    {a: b},\n  completions: 1, suspend: false}\n`,
      { spec: { parallelism: 7, completions: 1, suspend: false } },
    ],
    [
      "a type that stands at the end",
      whole.replace(/^apiVersion.*\nkind.*\n/, "").concat("apiVersion: batch/v1\nkind: Job\n"),
      {},
    ],
  ])("reads %s", async (_, text, expected) => {
    const { jobs, notes } = await read(text);
    expect(notes).toEqual([]);
    expect(jobs).toMatchObject([{ metadata: { name: "a" }, ...expected }]);
  });

  it("tells of an error with its line, however much was left out before", async () => {
    const broken = whole.replace("startTime: ", 'startTime: "');
    const line = broken.split("\n").findIndex((text) => text.includes('startTime: "')) + 1;
    const { jobs, notes } = await read(broken);
    expect(jobs).toEqual([]);
    expect(notes).toHaveLength(1);
    expect(Number.parseInt(notes[0] ?? "", 10)).toBeGreaterThanOrEqual(line);
  });
});
