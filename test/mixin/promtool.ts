import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const found = spawnSync("promtool", ["--version"]).status === 0;

/** Prometheus' own tool is not on every machine; runs that must not skip say STALEWATCH_REQUIRE_REAL=1. */
export const promtoolMissing: boolean = !found && process.env["STALEWATCH_REQUIRE_REAL"] !== "1";
if (promtoolMissing) console.warn("promtool is not installed: what it would check is skipped");

/** What promtool complains about; "" when nothing. */
export function promtool(args: readonly string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync("promtool", args, { input, encoding: "utf8" });
  if (error) throw error;
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** The same about a file with this text, whose path is put behind the arguments. */
export function promtoolOn(text: string, args: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), "stalewatch-promtool-"));
  try {
    const path = join(directory, "file.yaml");
    writeFileSync(path, text);
    return promtool([...args, path]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
