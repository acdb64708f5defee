import { describe, expect, it } from "vitest";
import { createLog, type LogFormat, type LogLevel } from "../../src/exposition/index.ts";
import type { Log } from "../../src/telemetry/index.ts";
import { ManualClock } from "./manual-clock.ts";

function logTo(format: LogFormat, level: LogLevel = "info", colour = false): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const log = createLog({ level, format, colour, clock: new ManualClock(), write: (line) => void lines.push(line) });
  return { log, lines };
}

describe("createLog", () => {
  it("writes one JSON object a line", () => {
    const { log, lines } = logTo("json");
    log.info("relisting", { resource: "jobs.batch", objects: 3 });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: "info", time: "2026-01-02T03:04:05.000Z", resource: "jobs.batch", objects: 3, message: "relisting" },
    ]);
    expect(lines[0]?.endsWith("}\n")).toBe(true);
  });

  it("writes lines for people", () => {
    const { log, lines } = logTo("text");
    log.warn("relisting", { resource: "jobs.batch", reason: "410 expired", where: { page: 2 } });
    expect(lines).toEqual([
      '2026-01-02T03:04:05.000Z WARN  relisting resource=jobs.batch reason="410 expired" where="{\\"page\\":2}"\n',
    ]);
  });

  it.each([
    ["debug", 4],
    ["info", 3],
    ["warn", 2],
    ["error", 1],
  ] as const)("at level %s writes %i of the four", (level, count) => {
    const { log, lines } = logTo("text", level);
    log.debug("a");
    log.info("b");
    log.warn("c");
    log.error("d");
    expect(lines).toHaveLength(count);
  });

  it.each(["json", "text"] as const)("lets no value forge a %s line or move the cursor", (format) => {
    const { log, lines } = logTo(format);
    log.info("found", { name: 'evil\n2026-01-02T03:04:05.000Z ERROR forged "x"\u001b[2J\u2028' });
    expect(lines).toHaveLength(1);
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(lines[0]).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|\n./);
  });

  it("puts an error in as its one line, with the stack at level debug only", () => {
    const error = new Error("list failed", { cause: new Error("connection\nreset") });
    const at = (level: LogLevel): Record<string, unknown> => {
      const { log, lines } = logTo("json", level);
      log.error("no", { error });
      return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
    };
    expect(at("info")).toMatchObject({ error: "list failed (connection reset)" });
    expect(at("info")).not.toHaveProperty("error_stack");
    expect(at("debug")["error_stack"]).toBe(error.stack);
  });

  it("hides what is named like a secret and keeps its own fields", () => {
    const { log, lines } = logTo("json");
    log.info("hello", {
      token: "abc",
      request: { authorization: "Bearer abc" },
      level: "fake",
      time: 1,
      message: "other",
    });
    expect(lines[0]).not.toContain("abc");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      message: "hello",
      level_: "fake",
      message_: "other",
    });
  });

  it("colours only when told to", () => {
    const plain = logTo("text");
    const coloured = logTo("text", "info", true);
    for (const { log } of [plain, coloured]) log.error("no", { a: 1 });
    expect(plain.lines[0]).not.toContain("\u001b");
    expect(coloured.lines[0]).toContain("\u001b[31mERROR");
  });
});
