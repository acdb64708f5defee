import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { describe } from "vitest";

/** The programs that suites under test/real start. `.ci/run` installs or builds all of them. */
export type Tool =
  | "etcd"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kubectl"
  | "elector"
  | "informer-bench"
  | "jaeger"
  | "prometheus"
  | "promtool"
  | "openssl";

/** What a cluster with the Job controller needs. */
export const clusterTools: readonly Tool[] = ["openssl", "etcd", "kube-apiserver", "kube-controller-manager"];

/** The absolute path of a program: from KUBEBUILDER_ASSETS (as envtest), the build cache, then PATH. */
function findTool(tool: Tool): string | undefined {
  const { KUBEBUILDER_ASSETS: assets = "", STALEWATCH_TOOLS: cache = join(homedir(), ".cache/stalewatch") } =
    process.env;
  const folders = [assets, join(cache, "bin"), ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, tool))
    .find(isExecutable);
}

export function requireTool(tool: Tool): string {
  const path = findTool(tool);
  if (path === undefined) throw new Error(missingLine([tool]));
  return path;
}

/** A suite that needs these programs: without them it is skipped, or fails where STALEWATCH_REQUIRE_REAL=1 forbids skipping. */
export function describeReal(name: string, needs: readonly Tool[], suite: () => void): void {
  const missing = missingTools(needs);
  if (missing.length > 0 && process.env["STALEWATCH_REQUIRE_REAL"] === "1") throw new Error(missingLine(missing));
  if (missing.length > 0) describe.skip(`${name}: ${missing.join(", ")} not found`, suite);
  else describe(name, suite);
}

export function missingTools(needs: readonly Tool[]): Tool[] {
  return needs.filter((tool) => findTool(tool) === undefined);
}

export function missingLine(missing: readonly Tool[]): string {
  return `${missing.join(", ")} not found in KUBEBUILDER_ASSETS, the build cache or PATH: run scripts/ci/build-tools.sh, or install the packages that .ci/run names`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // the answer itself: not there, or not for us
  }
}
