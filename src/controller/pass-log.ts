import type { Log, LogFields } from "../telemetry/index.ts";

/** A log whose every line carries the same fields, so that whoever reads it can follow one pass. */
export class PassLog implements Log {
  readonly #log: Log;
  readonly #fields: LogFields;

  constructor(log: Log, fields: LogFields) {
    this.#log = log;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log.debug(message, { ...this.#fields, ...fields });
  }

  info(message: string, fields?: LogFields): void {
    this.#log.info(message, { ...this.#fields, ...fields });
  }

  warn(message: string, fields?: LogFields): void {
    this.#log.warn(message, { ...this.#fields, ...fields });
  }

  error(message: string, fields?: LogFields): void {
    this.#log.error(message, { ...this.#fields, ...fields });
  }
}
