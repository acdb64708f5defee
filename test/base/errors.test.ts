import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAbort, messageOf, oneLine, StalewatchError } from "../../src/base/index.ts";

describe("one line", () => {
  test.each([
    ["two\nlines", "two lines"],
    ["a\ttab", "a tab"],
    ["\r\n", "\\x0d "],
    ["\u001b[31mred\u001b[0m", "\\x1b[31mred\\x1b[0m"],
    ["\u0000", "\\x00"],
    ["\u007f\u009b", "\\x7f\\x9b"],
    ["line\u2028separator\u2029s", "line\\x2028separator\\x2029s"],
    ["Grüße, 世界", "Grüße, 世界"],
  ])("%j becomes %j", (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test("never holds a control character or a line separator, and leaves the rest alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const line = oneLine(text);
        expect(line).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
        if (/^[^\p{Cc}\u2028\u2029]*$/u.test(text)) expect(line).toBe(text);
      }),
    );
  });
});

describe("the message of what was thrown", () => {
  test.each([
    ["an error", new Error("it broke"), "it broke"],
    ["an error without a message", new TypeError(), "TypeError"],
    ["a string", "it\nbroke", "it broke"],
    ["nothing", undefined, "undefined"],
    ["an error with a cause", new Error("no answer", { cause: new Error("ECONNREFUSED") }), "no answer (ECONNREFUSED)"],
    [
      "a cause that the message names",
      new Error("no answer: EPIPE", { cause: new Error("EPIPE") }),
      "no answer: EPIPE",
    ],
    [
      "a cause that the message names, with a cause of its own",
      new Error("no answer: look", { cause: new Error("no answer", { cause: new Error("EPIPE") }) }),
      "no answer: look (EPIPE)",
    ],
    ["a cause that is no error", new Error("no answer", { cause: "EPIPE" }), "no answer"],
    ["a chain of causes", new Error("a", { cause: new Error("b", { cause: new Error("c") }) }), "a (b (c))"],
  ])("%s", (_, thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });
});

describe("our own error", () => {
  test("says what to do after what happened", () => {
    const cause = new Error("below");
    const error = new StalewatchError("NO_PORT", "port 1 is taken", "choose another", { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "StalewatchError",
      code: "NO_PORT",
      remedy: "choose another",
      message: "port 1 is taken: choose another",
      cause,
    });
  });

  test("says only what happened where nothing can be done", () => {
    expect(new StalewatchError("GONE", "it is gone").message).toBe("it is gone");
  });
});

describe("an abort", () => {
  test("is what an aborted signal throws, whatever its reason", () => {
    const stop = new AbortController();
    expect(isAbort(new Error("other"), stop.signal)).toBe(false);
    stop.abort(new Error("other"));
    expect(isAbort(new Error("other"), stop.signal)).toBe(true);
  });

  test("is known by its name without a signal", () => {
    expect(isAbort(AbortSignal.abort().reason)).toBe(true);
    expect(isAbort(AbortSignal.abort("stop").reason)).toBe(false);
    expect(isAbort(undefined)).toBe(false);
  });
});
