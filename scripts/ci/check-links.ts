// Every relative link of the documents leads to a file that exists, and its #anchor to a heading of that file.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");
const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");
const broken = documents.flatMap((document) => brokenLinks(join(root, document)));
for (const line of broken) console.error(line);
console.log(`${documents.length} documents, ${broken.length} broken links`);
if (broken.length > 0) process.exitCode = 1;

function brokenLinks(document: string): string[] {
  const text = withoutCode(readFileSync(document, "utf8"));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|<img[^>]* src="([^"]+)"/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !leads(document, target))
    .map((target) => `${relative(root, document)}: ${target} leads nowhere`);
}

function leads(document: string, target: string): boolean {
  const [path = "", anchor] = target.split("#", 2);
  const file = path === "" ? document : join(dirname(document), decodeURIComponent(path));
  if (!existsSync(file)) return false;
  if (anchor === undefined || statSync(file).isDirectory()) return anchor === undefined;
  return headings(readFileSync(file, "utf8")).includes(anchor);
}

/** The anchors that GitHub gives a document's headings. */
function headings(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, "");
}
