import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Finding, groupsOf } from "../../src/jobs/index.ts";
import { at, job, judgeJob } from "./objects.ts";

const webhook = "webhook deny.example.com";

function finding(name: string, more: Partial<Finding> = {}): Finding {
  const { finding: found } = judgeJob(job({ metadata: { name, uid: name }, status: {} }), [], at(600));
  return { ...(found as Finding), cause: webhook, ...more };
}

describe("groups of findings", () => {
  it("are the causes that two or more share, with what is oldest first", () => {
    const later = "2026-01-02T04:00:00Z";
    const findings = [
      finding("b", { since: later, reason: "Other" }),
      finding("a"),
      finding("c", { since: later }),
      finding("d", { cause: "node worker-3" }),
    ];
    expect(groupsOf(findings)).toEqual([
      {
        cause: webhook,
        kind: "S01",
        reason: "StatusEmpty",
        since: "2026-01-02T03:04:05Z",
        members: 3,
        objects: ["shop/a", "shop/b", "shop/c"],
      },
    ]);
  });

  it.each<[string, Partial<Finding>]>([
    ["is only watched", { state: "watching" }],
    ["is silenced", { silencedUntil: "2026-02-01T00:00:00Z" }],
    ["has another cause", { cause: "node worker-3" }],
  ])("leave out what %s", (_, more) => {
    expect(groupsOf([finding("a"), finding("b")])).toHaveLength(1);
    expect(groupsOf([finding("a"), finding("b", more)])).toEqual([]);
  });

  it("count all members and name twenty, whatever the order", () => {
    const findings = Array.from({ length: 200 }, (_, index) => finding(`a-${index}`));
    const [expected] = groupsOf(findings);
    expect(expected).toMatchObject({ members: 200 });
    expect(expected?.objects).toHaveLength(20);
    fc.assert(
      fc.property(fc.shuffledSubarray(findings, { minLength: 200 }), (shuffled) => {
        expect(groupsOf(shuffled)).toEqual([expected]);
      }),
    );
  });
});
