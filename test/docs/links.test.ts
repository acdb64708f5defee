import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeSpans, documents, read, root, withoutBlocks } from "./markdown.ts";

/** The targets of links and pictures that lead neither elsewhere on the web nor to a file, or heading, that is there. */
function brokenLinks(document: string, text: string): string[] {
  const links = withoutBlocks(text).matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]: *(\S+)|<img[^>]* src="([^"]+)"/gm);
  return [...links]
    .map(([, inline, defined, picture]) => inline ?? defined ?? picture ?? "")
    .filter((target) => !/^[a-z]+:/.test(target) && !leads(document, text, target));
}

function leads(document: string, text: string, target: string): boolean {
  const [path = "", anchor] = target.split("#", 2);
  if (path === "") return anchors(text).includes(anchor ?? "");
  const file = join(dirname(document), decodeURIComponent(path));
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined) return true;
  return statSync(join(root, file)).isFile() && anchors(read(file)).includes(anchor);
}

/** The anchors that GitHub gives to headings. */
function anchors(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) => {
    return heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  });
}

/** The code spans that name a file or folder of the repository which is not there. */
function missingPaths(text: string): string[] {
  const named = codeSpans(text).filter((code) => /^(src|test|bench|scripts|docs|tools|bin)\/[\w./-]*$/.test(code));
  return named.filter((path) => !existsSync(join(root, path)));
}

describe("paths", () => {
  it.each(documents())("that %s names are there", (document) => expect(missingPaths(read(document))).toEqual([]));

  it("that are not there are found", () => {
    expect(missingPaths("`src/index.ts`, `src/indices.ts`, `src/cache/`, `/metrics`")).toEqual(["src/indices.ts"]);
  });
});

describe("relative links", () => {
  it.each(documents())("of %s lead somewhere", (document) => {
    expect(brokenLinks(document, read(document))).toEqual([]);
  });

  it.each([
    "[x](no-such-file.md)",
    "[x](README.md#no-such-heading)",
    "[x](#b)",
    "[x]: gone.md",
    '<img src="gone.png">',
  ])("that lead nowhere are found: %s", (link) => expect(brokenLinks("NEW.md", `# A\n\n${link}\n`)).toHaveLength(1));

  it.each(["[x](README.md)", "[x](README.md#try-it)", "[x](#a)", "[x](docs)", "[x](https://example.com/gone)"])(
    "that lead somewhere are not: %s",
    (link) => expect(brokenLinks("NEW.md", `# A\n\n${link}\n`)).toEqual([]),
  );
});
