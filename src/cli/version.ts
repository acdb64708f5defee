import { readFileSync } from "node:fs";

/** The version of the package that this code is part of. */
export function stalewatchVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
