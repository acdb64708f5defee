/** What Node's sockets throw, so that clients need no special case for the in-process transport. */
class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function connectionReset(): Error {
  return new ConnectionError("ECONNRESET", "read ECONNRESET");
}

export function connectionRefused(): Error {
  return new ConnectionError("ECONNREFUSED", "connect ECONNREFUSED (embedded API server)");
}

export function idleTimeout(waitedMs: number): Error {
  return new ConnectionError("ETIMEDOUT", `no byte came for ${waitedMs} ms`);
}
