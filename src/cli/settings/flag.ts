import { z } from "zod";
import { messageOf, parseDuration, StalewatchError } from "../../base/index.ts";

/** What help, the docs and the configuration file say of a flag. */
export interface About {
  /** One line, without a full stop. */
  readonly help: string;
  /** One letter, as kubectl has it: "n" for `-n`. */
  readonly short?: string;
  /** The value's place in the help, in capitals; absent for a switch. */
  readonly value?: string;
  /** As one would write it; absent when there is none. */
  readonly standard?: string;
  /** What holds without the flag, where that is not a value: "all namespaces". */
  readonly otherwise?: string;
}

/** One setting: a flag, a STALEWATCH_ variable and a key of the configuration file, all read by the same schema from text. */
export interface Flag<T> {
  readonly about: About;
  /** May be given several times, or as a list in the file, or with commas. */
  readonly repeatable: boolean;
  /** A key of the configuration file alone, whose value is a list of maps; each comes as JSON. */
  readonly fileOnly?: true;
  /** Reads what was given; a repeatable flag takes all its texts, any other the last. */
  read(texts: readonly string[]): { readonly value: T } | { readonly problem: string };
}

export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The values of a table: `Values<typeof runFlags>["sync-period"]` is a number. */
export type Values<F extends FlagTable> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/** A flag with a value whatever the user says. */
export function flag<T>(about: About & { standard: string }, schema: z.ZodType<T, string>): Flag<T> {
  return { about, repeatable: false, read: (texts) => readBy(schema, texts.at(-1)) };
}

/** A flag that may be left out. */
export function optional<T>(about: About, schema: z.ZodType<T, string>): Flag<T | undefined> {
  return { about, repeatable: false, read: (texts) => readBy(schema.optional(), texts.at(-1)) };
}

/** Several values; none is an empty list. */
export function list<T>(about: About, schema: z.ZodType<T, string>): Flag<readonly T[]> {
  return { about, repeatable: true, read: (texts) => readBy(z.array(schema), texts) };
}

/** A list of maps, which only the configuration file can hold; none is an empty list. The schema reads each as JSON. */
export function maps<T>(about: About, schema: z.ZodType<T, string>): Flag<readonly T[]> {
  return { ...list(about, schema), fileOnly: true };
}

function readBy<T>(schema: z.ZodType<T>, input: unknown): { value: T } | { problem: string } {
  const read = schema.safeParse(input);
  return read.success ? { value: read.data } : { problem: read.error.issues[0]?.message ?? "is not valid" };
}

/** A zod schema from a parser that throws a `StalewatchError`. */
export function from<T>(parse: (text: string) => T): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof StalewatchError)) throw error;
      context.addIssue({ code: "custom", message: messageOf(error) });
      return z.NEVER;
    }
  });
}

export const text: z.ZodType<string, string> = z.string().min(1, "must not be empty");

/** Milliseconds, more than zero. */
export const duration: z.ZodType<number, string> = from(parseDuration).refine((ms) => ms > 0, "must be more than zero");

/** Milliseconds; "0" is off. */
export const durationOrOff: z.ZodType<number, string> = from(parseDuration).refine(
  (ms) => ms >= 0,
  "must not be negative",
);

export function number(range: { min: number; max: number; whole?: boolean }): z.ZodType<number, string> {
  const wanted = `must be a ${range.whole ? "whole " : ""}number from ${range.min} to ${range.max}`;
  const schema = z.coerce.number<string>(wanted).min(range.min, wanted).max(range.max, wanted);
  return range.whole ? schema.int(wanted) : schema;
}

export const yesOrNo: z.ZodType<boolean, string> = z
  .enum(["true", "false"], "must be true or false")
  .transform((text) => text === "true");

export function oneOf<const V extends readonly [string, ...string[]]>(...values: V): z.ZodType<V[number], string> {
  return z.enum(values, `must be one of ${values.join(", ")}`);
}
