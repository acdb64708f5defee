// Compiles src/ to dist/, JavaScript and declarations, for the package. Development needs no build: Node strips the types.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules/.bin/tsc");
const { status } = spawnSync(tsc, ["--project", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
// What `stalewatch version` tells; where there is no checkout to ask, as in an image's build, COMMIT may say it.
const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
const commit = process.env["COMMIT"] || (stdout ?? "").trim();
if (status === 0 && commit !== "") writeFileSync(join(dist, "commit"), `${commit}\n`);
process.exitCode = status ?? 1;
