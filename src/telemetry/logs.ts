export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured logging: a constant message, the particulars in fields. Names of objects go into fields, never into the message,
 * and no field holds a token, a header or a Secret's content.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export const noopLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
