import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocks, documents, read, root } from "./markdown.ts";

/** What the documents' examples take for given: a kind of the reader's own. */
const GIVEN = `
import type { DeepReadonly, Draft, KubeObject } from "stalewatch";

declare global {
  interface Run extends KubeObject {
    spec: { approved?: boolean };
    status?: { phase?: string };
  }
  function jobFor(run: DeepReadonly<Run>): Draft;
}
`;

/** Type-checks each text as a file of a project that has stalewatch installed. Resolves with the compiler's complaints. */
async function complaints(texts: readonly string[]): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "stalewatch-docs-"));
  try {
    await mkdir(join(project, "node_modules"));
    await symlink(root, join(project, "node_modules/stalewatch"));
    const compilerOptions = { typeRoots: [join(root, "node_modules/@types")], noUnusedLocals: false };
    const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify(settings));
    await writeFile(join(project, "package.json"), '{ "type": "module" }');
    await writeFile(join(project, "given.d.ts"), GIVEN);
    await Promise.all(texts.map((text, index) => writeFile(join(project, `block-${index}.ts`), text)));
    return await new Promise((resolve) => {
      execFile(join(root, "node_modules/.bin/tsc"), ["--project", project], { cwd: project }, (_error, out) =>
        resolve(out),
      );
    });
  } finally {
    await rm(project, { recursive: true });
  }
}

/** The guide's blocks are files of one project, which has its own test. */
const GUIDE = "docs/runtime.md";
const examples: readonly string[] = documents()
  .filter((document) => document !== GUIDE)
  .flatMap((document) => blocks(read(document), "ts"));

test("the TypeScript in the documents is right about what stalewatch exports", async () => {
  expect(examples.length).toBeGreaterThan(0);
  expect(await complaints(examples)).toBe("");
});

test("an example that uses what is not there is found", async () => {
  const wrong = examples.map((example) => example.replace("patchStatus(", "patchState("));
  expect(wrong).not.toEqual(examples);
  expect(await complaints(wrong)).toMatch(/^block-0\.ts\(\d+,\d+\): error TS\d+: Property 'patchState' does not exist/);
});
