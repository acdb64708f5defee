import { StalewatchError } from "../base/index.ts";

/**
 * Thrown by a reconcile to say that trying again is pointless until the object changes: counted as an error and as a terminal
 * error, not retried. The next event of the object starts a pass as always.
 */
export class TerminalError extends StalewatchError {
  override readonly name: string = "TerminalError";

  constructor(message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super("TERMINAL", message, options.remedy, { cause: options.cause });
  }
}

/**
 * Whether what a reconcile threw is a bug in the program rather than a failure of the world: something that is no Error, or one
 * of the engine's own errors. A TypeError with a cause is no bug: `fetch` reports a broken connection that way
 * (https://fetch.spec.whatwg.org/#fetch-method). The counterpart of a recovered panic in controller-runtime; retried like any error.
 */
export function isPanic(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  if (thrown instanceof TypeError) return thrown.cause === undefined;
  return thrown instanceof RangeError || thrown instanceof ReferenceError || thrown instanceof SyntaxError;
}
