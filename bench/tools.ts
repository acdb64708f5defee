import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The path of a program that `.ci/run` builds, looked for in its cache, KUBEBUILDER_ASSETS and PATH; undefined when absent. */
export function realTool(name: string): string | undefined {
  const cache = join(process.env["STALEWATCH_TOOLS"] ?? join(homedir(), ".cache", "stalewatch"), "bin");
  const folders = [cache, process.env["KUBEBUILDER_ASSETS"], ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders
    .filter((folder) => folder !== undefined && folder !== "")
    .map((folder) => join(folder as string, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
