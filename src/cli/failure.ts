import { messageOf, StalewatchError } from "../base/index.ts";

/** Exit codes, the same for every command. */
export const EXIT: { readonly fine: 0; readonly failed: 1; readonly usage: 2; readonly found: 10 } = {
  fine: 0,
  failed: 1,
  usage: 2,
  /** Something is stuck, and `--exit-code` asked. */
  found: 10,
};

/** The command line, an environment variable or the configuration file is wrong: exit code 2. */
export class UsageError extends StalewatchError {
  override readonly name: string = "UsageError";

  constructor(message: string, remedy?: string, options?: { cause?: unknown }) {
    super("USAGE", message, remedy, options);
  }
}

/** Values of flags that folders below read themselves. */
const USAGE_CODES: ReadonlySet<string> = new Set([
  "USAGE",
  "BAD_ADDRESS",
  "ADDRESS_NOT_LOOPBACK",
  "BAD_FEATURE_GATE",
  "BAD_ELECTION_PERIODS",
]);

export function exitCodeOf(thrown: unknown): number {
  return thrown instanceof StalewatchError && USAGE_CODES.has(thrown.code) ? EXIT.usage : EXIT.failed;
}

/** One line: what, which object or flag, what to do. The stack only for whoever asked for debug logs. */
export function errorLine(thrown: unknown, withStack: boolean): string {
  const line = `stalewatch: ${messageOf(thrown)}\n`;
  return withStack && thrown instanceof Error ? `${line}${thrown.stack ?? ""}\n` : line;
}
