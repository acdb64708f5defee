import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/index.ts";
import { memoryTerminal } from "../cli/memory-terminal.ts";
import { folderOf } from "../dump/files.ts";
import type { ExpectedFinding } from "./field-case.ts";
import { fieldCases } from "./field-cases.ts";

interface Header {
  readonly id: string;
  readonly url: string;
  readonly parents?: object;
  readonly limits?: object;
  readonly verdicts: readonly {
    readonly at: string;
    readonly findings: readonly (Omit<ExpectedFinding, "since"> & { readonly since: string })[];
  }[];
}

function headerIn(path: string): Header {
  const [first = ""] = readFileSync(path, "utf8").split("\n", 1);
  return (JSON.parse(first) as { case: Header }).case;
}

/** What `stalewatch replay` prints of a recording at a time, with the rules that its first line has. */
async function replayed(path: string, { parents, limits }: Header, until: string): Promise<readonly string[]> {
  const files = Object.entries({ parents, limits }).filter(([, rules]) => rules !== undefined);
  const folder = folderOf(Object.fromEntries(files.map(([name, rules]) => [name, JSON.stringify(rules)])));
  const rules = files.flatMap(([name]) => [`--${name}`, join(folder, name)]);
  const terminal = memoryTerminal();
  const code = await main(["replay", path, "-o", "json", "--until", until, ...rules], { terminal });
  expect({ code, err: terminal.stderr() }).toEqual({ code: 0, err: "" });
  const { final } = JSON.parse(terminal.stdout()) as {
    final: { kind: string; object: { kind: string; name: string }; severity: string }[];
  };
  return final.map(({ kind, object, severity }) => `${kind} ${object.kind}/${object.name} ${severity}`).sort();
}

describe("the recording of a case, given to stalewatch replay", () => {
  it.each(fieldCases.map(({ id, url }) => [id, url]))("%s has what its first line says", async (id, url) => {
    const path = join(import.meta.dirname, "recordings", `${id}.ndjson`);
    const header = headerIn(path);
    expect(header).toMatchObject({ id, url });
    const last = header.verdicts.at(-1);
    const expected = last?.findings.map(({ kind, object, severity }) => `${kind} ${object} ${severity}`).sort();
    expect(await replayed(path, header, last?.at ?? "")).toEqual(expected);
  });
});
