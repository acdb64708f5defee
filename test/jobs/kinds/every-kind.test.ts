import { describe, expect, it } from "vitest";
import { type AgeLimits, jobOrder, type KindPage, podOrder, workloadOrder } from "../../../src/jobs/index.ts";
import { at } from "../objects.ts";
import { casesEnding } from "./cases-ending.ts";
import { casesRunning } from "./cases-running.ts";
import { casesStarting } from "./cases-starting.ts";
import { casesSuspended } from "./cases-suspended.ts";
import { casesWithoutPods } from "./cases-without-pods.ts";
import type { KindCase } from "./kind-case.ts";
import { look, time, verdictIn } from "./scene.ts";

const pages = new Map(
  [...jobOrder, ...podOrder, ...workloadOrder].flatMap<KindPage>(({ kinds }) => kinds).map((page) => [page.id, page]),
);
const cases = [...casesWithoutPods, ...casesSuspended, ...casesStarting, ...casesRunning, ...casesEnding];
const named = cases.map((one) => [one.case === undefined ? one.id : `${one.id}, ${one.case},`, one] as const);

const DAY = 86_400;

function limitsOf({ id, limits }: KindCase): AgeLimits {
  return limits ?? (pages.get(id) as KindPage).limits;
}

/** Each severity and the second, after `CREATED`, from which a case has it. */
function turns(one: KindCase): readonly (readonly [string, number])[] {
  const { infoMs = Number.POSITIVE_INFINITY, warningMs, criticalMs } = limitsOf(one);
  const ages = Object.entries({ info: infoMs, warning: warningMs, critical: criticalMs });
  return ages.filter(([, ms]) => Number.isFinite(ms)).map(([severity, ms]) => [severity, one.since + ms / 1_000]);
}

describe("the cases of the kinds", () => {
  it("leave no kind out: each has a positive, its twin and its limits", () => {
    expect([...new Set(cases.map(({ id }) => id))].toSorted()).toEqual([...pages.keys()].toSorted());
  });

  it.each([...pages.values()].map((page) => [page.id, page] as const))(
    "%s names public sources, and every reason that its cases show",
    (id, page) => {
      expect(page.source.length).toBeGreaterThan(0);
      for (const url of page.source) expect(URL.canParse(url)).toBe(true);
      const shown = cases.filter((one) => one.id === id).map(({ reason }) => reason);
      expect(page.reasons).toEqual(expect.arrayContaining(shown));
      expect(page.remedy.length).toBeGreaterThan(0);
    },
  );
});

describe("every kind", () => {
  it.each(named.filter(([, { shownFrom }]) => shownFrom === undefined))(
    "%s turns at its ages, to the second",
    (_, one) => {
      const state = one.id === "S09" ? "queued" : "stuck";
      for (const [severity, second] of turns(one)) {
        const before = look(one.scene, one.since, second - 1);
        if (second > one.since) expect([before?.state, before?.severity]).not.toEqual([state, severity]);
        expect(look(one.scene, one.since, second)).toMatchObject({
          kind: one.id,
          name: pages.get(one.id)?.name,
          reason: one.reason,
          state,
          severity,
          since: time(one.since),
          ageSeconds: second - one.since,
        });
      }
    },
  );

  it.each(named.filter(([, { shownFrom }]) => shownFrom !== undefined))(
    "%s takes over to the second from the kind that speaks before",
    (_, one) => {
      const from = one.since + (one.shownFrom ?? 0);
      expect(look(one.scene, from - 1)?.kind).not.toBe(one.id);
      expect(look(one.scene, from)).toMatchObject({ kind: one.id, reason: one.reason, since: time(one.since) });
    },
  );

  it.each(named)("%s asks for every moment at which time alone changes what is said", (_, one) => {
    const asked: number[] = [];
    for (let second = one.since; asked.length < 30;) {
      const { dueAt } = verdictIn(one.scene, one.since, second);
      if (dueAt === undefined) break;
      second = (dueAt - at(0)) / 1_000;
      asked.push(second);
    }
    expect(asked.length).toBeLessThan(30);
    const wanted = turns(one).map(([, second]) => second);
    expect(asked).toEqual(expect.arrayContaining(wanted.filter((second) => second > one.since)));
  });

  it.each(named)("%s is silent about its twin, as long as it may last", (_, one) => {
    const limits = turns(one).flatMap(([, second]) => [second - 1, second]);
    const last = Math.max(...limits, 0) + DAY;
    for (const second of [one.since, ...limits, last]) {
      const found = look(one.twin.scene, one.since, second);
      expect({ second, stuck: found?.state === "stuck" && found.severity !== "info" && found }).toEqual({
        second,
        stuck: false,
      });
      expect(found?.kind).not.toBe(one.id);
    }
  });

  it.each(named)("%s says what it sees with the object's own names, a command to type, and its cause", (_, one) => {
    const found = look(one.scene, one.since, one.since + (one.shownFrom ?? 6 * 3_600));
    expect(found?.message).toContain("shop/");
    expect(found?.evidence.length).toBeGreaterThan(0);
    expect(found?.next[0]).toMatch(/^kubectl /);
    expect(found?.cause).toBe(one.cause);
  });

  it.each(named)("%s is one cause with others where it sends to kube-controller-manager", (_, one) => {
    const found = look(one.scene, one.since, one.since + (one.shownFrom ?? 6 * 3_600));
    const isSentThere = found?.next.some((line) => line.includes("kube-controller-manager"));
    if (isSentThere) expect(found?.cause).toMatch(/ controller$|^finalizer /);
  });
});
