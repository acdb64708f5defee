// Compiles src/ to dist/, JavaScript and declarations, for the package. Development needs no build: Node strips the types.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
const tsc = join(root, "node_modules/.bin/tsc");
const { status } = spawnSync(tsc, ["--project", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
