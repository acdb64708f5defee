import { readFileSync } from "node:fs";

interface Floor {
  readonly floor: readonly string[];
  readonly is: string;
}

const TABLE = /(<!-- floors:begin -->\n)[\s\S]*?(<!-- floors:end -->)/;

/** docs/architecture.md with its table of floors as floors.json has it. */
export function architectureDoc(text: string): string {
  if (!TABLE.test(text)) throw new Error("docs/architecture.md has lost its floors:begin and floors:end marks");
  const floors = JSON.parse(readFileSync("floors.json", "utf8")) as Floor[];
  const rows = floors.map(({ floor, is }) => `| ${floor.map((name) => `${name}/`).join(", ")} | ${is} |`);
  return text.replace(TABLE, (_all, begin: string, end: string) => {
    return `${begin}\n| floor | what it is |\n|---|---|\n${rows.join("\n")}\n\n${end}`;
  });
}
