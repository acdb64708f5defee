// Compiles src/ to dist/, JavaScript and declarations, for the package; and to dist/examples/ the example, for the demo. Development
// needs no build: Node strips the types.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules/.bin/tsc");
// The example afterwards: it takes what it imports, "stalewatch", from dist/.
const status = compile("tsconfig.build.json") || compile("examples/tsconfig.build.json");
// What `stalewatch version` tells; where there is no checkout to ask, as in an image's build, COMMIT may say it.
const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
const commit = process.env["COMMIT"] || (stdout ?? "").trim();
if (status === 0 && commit !== "") writeFileSync(join(dist, "commit"), `${commit}\n`);
process.exitCode = status;

function compile(project: string): number {
  return spawnSync(tsc, ["--project", project], { cwd: root, stdio: "inherit" }).status ?? 1;
}
