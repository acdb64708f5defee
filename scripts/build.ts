// Compiles src/ to dist/, JavaScript and declarations, for the package. Development needs no build: Node strips the types.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
execFileSync(join(root, "node_modules/.bin/tsc"), ["--project", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
// What `stalewatch version` says; a build outside a checkout has none.
try {
  writeFileSync(join(root, "dist/commit"), execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, stdio: "pipe" }));
} catch (error) {
  console.warn(`dist/commit was not written: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
}
