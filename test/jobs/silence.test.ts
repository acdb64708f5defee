import { describe, expect, it } from "vitest";
import { at, job, judgeJob } from "./objects.ts";

function silenced(annotation: string, seconds: number) {
  const annotations = { "stalewatch.dev/silence": annotation };
  return judgeJob(job({ metadata: { annotations }, status: {} }), [], at(seconds));
}

describe("a silence", () => {
  it("is told with the finding until it ends, to the second", () => {
    const until = "2026-01-02T04:04:05Z";
    expect(silenced(`S01=${until}`, 3_599).finding).toMatchObject({ state: "stuck", silencedUntil: until });
    expect(silenced(`S01=${until}`, 3_599).dueAt).toBe(at(3_600));
    expect(silenced(`S01=${until}`, 3_600).finding).not.toHaveProperty("silencedUntil");
  });

  it("is about one kind, one of several, and the longest of two", () => {
    expect(silenced("S02=2026-02-01", 600).finding).not.toHaveProperty("silencedUntil");
    expect(silenced("S02=2026-02-01, S01=2026-03-01", 600).finding?.silencedUntil).toBe("2026-03-01T00:00:00Z");
    expect(silenced("S01=2026-04-01,S01=2026-03-01", 600).finding?.silencedUntil).toBe("2026-04-01T00:00:00Z");
  });

  it.each(["S01", "S01=", "S01=soon", "S01=2026", "s01=2026-02-01", "S01 2026-02-01", "S01=2026-13-01", "\u001b[2J"])(
    "that is written as %j silences nothing, and is said to be wrong",
    (annotation) => {
      const { finding } = silenced(annotation, 600);
      expect(finding).toMatchObject({ state: "stuck" });
      expect(finding).not.toHaveProperty("silencedUntil");
      expect(finding?.evidence.at(-1)).not.toContain("\u001b");
      expect(finding?.evidence.at(-1)).toMatch(/^annotation stalewatch\.dev\/silence: ".*" is not of the form /);
    },
  );
});
