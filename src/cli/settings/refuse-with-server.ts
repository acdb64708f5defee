import { UsageError } from "../failure.ts";
import { isGiven, type Sources } from "./resolve.ts";

/**
 * For commands that ask a running sidecar: what only a look of our own would heed must not seem to have been heeded. Variables may be meant
 * for other commands. Errors: `USAGE`.
 */
export function refuseWithServer(options: Sources["options"], names: readonly string[]): void {
  const given = names.find((name) => isGiven(name, options));
  if (given !== undefined) {
    throw new UsageError(`--${given} cannot be given with --server`, "give it to the sidecar");
  }
}
