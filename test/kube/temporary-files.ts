import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of this test's own. */
export class TemporaryFiles implements Disposable {
  readonly directory: string = mkdtempSync(join(tmpdir(), "stalewatch-kube-"));

  write(name: string, content: string): string {
    const path = join(this.directory, name);
    writeFileSync(path, content);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export interface KubeconfigParts {
  server: string;
  cluster?: object;
  user?: object;
  context?: object;
}

/** JSON is YAML. */
export function kubeconfigText({ server, cluster, user, context }: KubeconfigParts): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "main",
    clusters: [{ name: "c", cluster: { server, ...cluster } }],
    users: [{ name: "u", user: user ?? {} }],
    contexts: [{ name: "main", context: { cluster: "c", user: "u", ...context } }],
  });
}
