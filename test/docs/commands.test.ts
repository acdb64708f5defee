import { beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/cli/index.ts";
import { memoryTerminal } from "../cli/memory-terminal.ts";
import { blocks, codeSpans, documents, read } from "./markdown.ts";

/** Each command's flags, as its help has them. */
const flags = new Map<string, readonly string[]>();
let scripts: Readonly<Record<string, string>>;

beforeAll(async () => {
  for (const [, name = ""] of (await help("--help")).matchAll(/^ {2}([a-z]+) /gm)) {
    flags.set(
      name,
      [...(await help(name, "--help")).matchAll(/(--?[a-z][a-z-]*)[ ,]/g)].map(([, flag = ""]) => flag),
    );
  }
  ({ scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> });
});

async function help(...argv: readonly string[]): Promise<string> {
  const terminal = memoryTerminal();
  await main(argv, { terminal });
  return terminal.stdout();
}

/** The command lines of a document that are for stalewatch or npm, wherever they stand, without what they are piped to. */
function commandLines(text: string): string[] {
  const lines = [...blocks(text, "sh", "console", "").flatMap((block) => block.split("\n")), ...codeSpans(text)];
  return lines
    .flatMap((line) => line.replace(/ # .*/, "").split(/ (?:&&|\||;) /))
    .map((line) => line.replace(/^\$ /, "").trim())
    .filter((line) => /^(npx )?stalewatch |^npm (run|test)\b/.test(line));
}

/** What a command line asks for and is not there. */
function unknownIn(line: string): string[] {
  const [, script, rest = ""] = /^npm (?:run )?([\w:-]+)(.*)/.exec(line) ?? [];
  if (script === undefined) return unknownWords(line.replace(/^npx /, "").split(" ").slice(1));
  const runs = scripts[script];
  if (runs === undefined) return [`npm run ${script}`];
  const [, command] = /bin\/stalewatch\.js ?(\w*)$/.exec(runs) ?? [];
  const words = rest.replace(/^ -- /, "").split(" ").filter(Boolean);
  return command === undefined ? [] : unknownWords([command, ...words].filter(Boolean));
}

function unknownWords([command = "", ...words]: readonly string[]): string[] {
  const known = flags.get(command);
  if (!known) return [command];
  // "-" alone is standard input.
  const given = words.map((word) => word.replace(/=.*/, "")).filter((word) => /^-./.test(word));
  return given.filter((word) => !known.includes(word));
}

describe("commands in the documents", () => {
  it.each(documents())("%s asks for none that does not exist", (document) => {
    expect(commandLines(read(document)).flatMap(unknownIn)).toEqual([]);
  });

  it.each(documents())("%s names no flag that does not exist", (document) => {
    const foreign = ["--enable-feature"]; // of Prometheus
    const known = new Set([...flags.values(), foreign].flat());
    const named = codeSpans(read(document)).filter((code) => code.startsWith("--"));
    expect(named.filter((flag) => !known.has(flag.replace(/[= ].*/, "")))).toEqual([]);
  });

  it("are found in the README", () => {
    const lines = commandLines(read("README.md"));
    expect(lines).toContain("npm run demo");
    expect(lines.filter((line) => line.startsWith("npx stalewatch run "))).toHaveLength(1);
  });

  it.each([
    ["npx stalewatch run --namespace shop", []],
    ["npx stalewatch run --namespaces shop", ["--namespaces"]],
    ["stalewatch rum --namespace shop", ["rum"]],
    ["npm run demo -- --for 40s", []],
    ["npm run demo -- --four 40s", ["--four"]],
    ["npm run demos", ["npm run demos"]],
  ])("are looked up: %s", (line, unknown) => {
    expect(commandLines(`\`\`\`sh\n${line}\n\`\`\`\n`).flatMap(unknownIn)).toEqual(unknown);
  });
});
