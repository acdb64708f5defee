import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "../..");

/** The project's documents, by path from its root; the reports in etc/ are for API reviews. */
export function documents(): string[] {
  return globSync("**/*.md", {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|etc|\.[^/]+)$/.test(path),
  }).toSorted();
}

export function read(document: string): string {
  return readFileSync(join(root, document), "utf8");
}

/** The fenced blocks of these languages: "sh", "ts"; "" has none. */
export function blocks(text: string, ...languages: readonly string[]): string[] {
  return [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, language = "", block = ""]) => {
    return languages.includes(language) ? [block] : [];
  });
}

export function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, "");
}

/** What stands between backticks, outside of blocks. */
export function codeSpans(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll(/\s+/g, " "));
}
