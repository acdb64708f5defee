import { type DestinationStream, pino } from "pino";
import { type Clock, messageOf, systemClock } from "../base/index.ts";
import type { Log, LogFields } from "../telemetry/index.ts";
import { textLine } from "./text-line.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFormat = "json" | "text";

export interface LogOptions {
  level: LogLevel;
  /** "json" for machines, one object a line; "text" for people. */
  format: LogFormat;
  /** Where lines go; standard error unless given, so that standard output stays for answers. */
  write?: (line: string) => void;
  /** Whether text lines are coloured; if standard error is a terminal, unless given. */
  colour?: boolean;
  clock?: Clock;
}

/** Fields that would hold a secret if somebody logged them by mistake; the rule is that nobody does. */
const SECRET_FIELDS = ["authorization", "password", "secret", "token"];

/** Names that a line has anyway; a field of that name gets an underscore behind it. */
const OWN_FIELDS = new Set(["time", "level", "message"]);

/** The log of the process, over pino. Errors among the fields become their one-line message, with the stack at level debug. */
export function createLog(options: LogOptions): Log {
  const clock = options.clock ?? systemClock;
  const write = options.write ?? standardError();
  const colour = options.colour ?? (options.write === undefined && process.stderr.isTTY);
  const destination: DestinationStream =
    options.format === "json" ? { write } : { write: (line) => write(textLine(line, colour)) };
  const logger = pino(
    {
      level: options.level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: "[redacted]" },
    },
    destination,
  );
  const withStack = options.level === "debug";
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      logger[level](plainFields(fields, withStack), message);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function standardError(): (line: string) => void {
  const destination: DestinationStream = pino.destination({ dest: 2, sync: true });
  return (line) => destination.write(line);
}

function plainFields(fields: LogFields, withStack: boolean): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    const name = OWN_FIELDS.has(field) ? `${field}_` : field;
    plain[name] = value instanceof Error ? messageOf(value) : value;
    if (withStack && value instanceof Error) plain[`${name}_stack`] = value.stack;
  }
  return plain;
}
