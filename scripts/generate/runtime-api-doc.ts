import { type ApiItem, apiModel } from "./api-model.ts";

/** The pages, in the order in which a reader needs them: file name -> what its exports are about. */
const areas = {
  controller: "controllers, passes over their objects, and the manager that runs them",
  requeue: "named intervals, schedules, and what is due next",
  consistency: "not taking a cache that trails for the truth",
  election: "one leader among several processes",
  cache: "informers and their listers",
  workqueue: "keyed queues with delays, limits and priorities",
  kube: "the API server: live reads, writes and errors",
  resources: "kinds, and what is kept of their objects",
  telemetry: "ports for metrics, traces and logs",
  base: "clock, random, errors",
} as const;

export type Area = keyof typeof areas;

export const areaNames = Object.keys(areas) as readonly Area[];

const GENERATED = "Generated from the docstrings: `npm run generate`.";

/** docs/reference/runtime-api/README.md. */
export function runtimeApiIndex(): string {
  const rows = areaNames.flatMap((area) => itemsOf(area).map((item) => row(`${area}.md`, item)));
  const testing = apiModel("stalewatch-testing").items.map((item) => row("testing.md", item));
  return `# The runtime's API

${GENERATED} How it all fits together is told in [the guide](../../runtime.md); \`etc/*.api.md\` has the same exports as one text, for
reviews of changes.

## stalewatch

${table(rows)}

## stalewatch/testing

${table(testing)}
`;
}

/** docs/reference/runtime-api/AREA.md. */
export function runtimeApiPage(area: Area): string {
  const intro = `From \`stalewatch\`: ${areas[area]}. ${GENERATED}`;
  return `# ${area}\n\n${intro}\n\n${itemsOf(area).map(section).join("\n\n")}\n`;
}

/** docs/reference/runtime-api/testing.md. */
export function testingApiPage(): string {
  const intro = `From \`stalewatch/testing\`: an API server inside your tests. ${GENERATED}`;
  return `# testing\n\n${intro}\n\n${apiModel("stalewatch-testing").items.map(section).join("\n\n")}\n`;
}

/** Errors: when an export is in no area, so that nothing goes without a page. */
function itemsOf(area: Area): readonly ApiItem[] {
  const { items } = apiModel("stalewatch");
  const lost = items.find((item) => !areaNames.includes(folderOf(item) as Area));
  if (lost) throw new Error(`${lost.name} comes from ${folderOf(lost)}/: give it a page in runtime-api-doc.ts`);
  return items.filter((item) => folderOf(item) === area);
}

/** `controller` of `.api-x/controller/manager.d.ts`. */
function folderOf({ fileUrlPath = "" }: ApiItem): string {
  return fileUrlPath.split("/").at(-2) ?? "";
}

function table(rows: readonly string[]): string {
  return ["| export | what it is |", "|---|---|", ...rows].join("\n");
}

function row(page: string, item: ApiItem): string {
  const anchor = heading(item).toLowerCase().replaceAll(" ", "-");
  return `| [${item.name}](${page}#${anchor}) | ${cell(firstSentence(textOf(item)))} |`;
}

function heading({ kind, name }: ApiItem): string {
  const words: Record<string, string> = { TypeAlias: "type", Variable: "const" };
  return `${words[kind] ?? kind.toLowerCase()} ${name}`;
}

function section(item: ApiItem): string {
  const text = textOf(item);
  // Not "ts": these are declarations, no examples that a test could compile.
  return [`## ${heading(item)}`, text, `\`\`\`typescript\n${declaration(item)}\n\`\`\``].filter(Boolean).join("\n\n");
}

function declaration(item: ApiItem): string {
  const { members } = item;
  const head = excerpt(item)
    .replace(/^export (declare )?/, "")
    .trim();
  if (item.kind === "Variable") return `const ${head};`;
  if (!members) return head;
  const inside = members.map((member) => `${commentOf(member)}  ${excerpt(member)}`);
  return `${head} {\n${inside.join("\n")}\n}`;
}

/** What the compiler writes, but indented by two for each level. */
function excerpt({ excerptTokens = [] }: ApiItem): string {
  const text = excerptTokens.map((token) => token.text).join("");
  return text.replaceAll(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2));
}

function commentOf(item: ApiItem): string {
  const text = textOf(item);
  if (text === "") return "";
  if (!text.includes("\n")) return `  /** ${text} */\n`;
  const lines = text.split("\n").map((line) => `   * ${line}`.trimEnd());
  return `  /**\n${lines.join("\n")}\n   */\n`;
}

/** A docstring without its comment signs. Constructors without one are given a phrase by API Extractor. */
function textOf({ docComment = "" }: ApiItem): string {
  if (docComment.includes("Constructs a new instance of the")) return "";
  const lines = docComment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n");
  const text = lines
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
  return text.replaceAll(/^```ts$/gm, "```typescript");
}

function firstSentence(text: string): string {
  return /^[\s\S]*?[.:?](?=\s|$)/.exec(text)?.[0].replaceAll("\n", " ").replace(/:$/, ".") ?? text;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
