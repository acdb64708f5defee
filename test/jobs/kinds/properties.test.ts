import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Finding,
  jobOrder,
  podOrder,
  stuckKinds,
  type Verdict,
  workloadOrder,
  type World,
} from "../../../src/jobs/index.ts";
import { at, CREATED, job } from "../objects.ts";
import { randomScene } from "./random-scenes.ts";
import { podOf, type Scene, verdictIn, worldOfScene } from "./scene.ts";

const second = fc.integer({ min: 0, max: 200_000 });
const reasons = new Map(stuckKinds.map(({ id, reasons: all }) => [id, all]));

/** The verdicts on everything in a scene that can be judged. */
function verdicts(scene: Scene, now: number): readonly Verdict[] {
  const { pods = [], workloads = [] } = scene;
  return [
    verdictIn(scene, now),
    ...pods.map((pod) => verdictIn({ ...scene, subject: "pod", pods: [pod] }, now)),
    ...workloads.map((workload) => verdictIn({ ...scene, subject: "workload", workloads: [workload] }, now)),
  ];
}

function reversed(scene: Scene): Scene {
  const { pods = [], events, workloads } = scene;
  return {
    ...scene,
    pods: pods.toReversed(),
    ...(events ? { events: events.toReversed() } : {}),
    ...(workloads ? { workloads: workloads.toReversed() } : {}),
  };
}

/** All but the evidence, which may name more of the same as time goes on. */
function told(finding: Finding | undefined): Partial<Finding> | undefined {
  if (!finding) return undefined;
  const { kind, reason, severity, state, since, sinceSource, message, cause = "" } = finding;
  return { kind, reason, severity, state, since, sinceSource, message, cause };
}

describe("whatever the objects look like, a verdict", () => {
  test("is given, in the kind's own words, escaped and with times that can be read", () => {
    fc.assert(
      fc.property(randomScene, second, (scene, now) => {
        for (const { finding, dueAt } of verdicts(scene, now)) {
          if (dueAt !== undefined) expect(dueAt).toBeGreaterThan(at(now));
          if (!finding) continue;
          expect(reasons.get(finding.kind)).toContain(finding.reason);
          expect(finding.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
          expect(finding.ageSeconds).toBeGreaterThanOrEqual(0);
          const { message, evidence, next, sinceSource } = finding;
          for (const text of [message, sinceSource, ...evidence, ...next]) {
            // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
            expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
            expect(text.length).toBeLessThan(2_000);
          }
        }
      }),
      { numRuns: 1_500 },
    );
  });

  test("rests on objects and time alone: the same again, in any order of pods, events and Workloads", () => {
    fc.assert(
      fc.property(randomScene, second, (scene, now) => {
        const before = JSON.stringify(scene);
        const first = verdictIn(scene, now);
        expect(verdictIn(scene, now)).toEqual(first);
        expect(verdictIn(reversed(scene), now)).toEqual(first);
        expect(JSON.stringify(scene)).toBe(before);
      }),
      { numRuns: 1_500 },
    );
  });

  test("changes by time alone only when it has asked to be taken again", () => {
    fc.assert(
      fc.property(randomScene, second, fc.integer({ min: 1, max: 100_000 }), (scene, now, later) => {
        const first = verdictIn(scene, now);
        const until =
          first.dueAt === undefined ? now + later : Math.min(now + later, (first.dueAt - 1 - at(0)) / 1_000);
        const { finding } = verdictIn(scene, now, until);
        expect(told(finding)).toEqual(told(first.finding));
      }),
      { numRuns: 1_500 },
    );
  });
});

test("a healthy Job is judged without a question that costs a read", () => {
  const asked: string[] = [];
  const healthy = job({ status: { startTime: CREATED, active: 1, ready: 1 } });
  const world = worldOfScene({ job: healthy, pods: [podOf()] });
  const listening: World = {
    podsOf: (uid) => world.podsOf(uid),
    jobsOf: (uid) => world.jobsOf(uid),
    ownerOf: (object) => world.ownerOf(object),
    unchangedSince: (object, what, token, now) => world.unchangedSince(object, what, token, now),
    find: () => void asked.push("find"),
    byLabel: () => void asked.push("byLabel"),
    eventsAbout: () => void asked.push("eventsAbout"),
  };
  for (const { kinds } of jobOrder) for (const kind of kinds) kind.look(healthy, listening, at(600));
  expect(asked).toEqual([]);
});

test("kinds that are seen from several objects keep one page", () => {
  const pages = [...jobOrder, ...podOrder, ...workloadOrder].flatMap(
    ({ kinds }) => kinds as readonly { id: string; name: string }[],
  );
  const names = new Map<string, Set<string>>();
  for (const { id, name } of pages) names.set(id, (names.get(id) ?? new Set()).add(name));
  expect([...names.values()].every(({ size }) => size === 1)).toBe(true);
});
