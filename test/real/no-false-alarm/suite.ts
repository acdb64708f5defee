import { beforeAll, expect, test } from "vitest";
import { clusterTools, describeReal } from "../harness/index.ts";
import type { Reading } from "../lag-proof/readings.ts";
import { FORBIDDEN, type Idle, watchIdle } from "./idle.ts";

/** Nothing but Leases changes for so long, and nobody is told that something is wrong. */
export function noFalseAlarm(seconds: number): void {
  describeReal(`a healthy controller-manager, idle for ${seconds} s`, clusterTools, () => {
    let idle: Idle;
    beforeAll(
      async () => {
        idle = await watchIdle(seconds);
      },
      (seconds + 120) * 1_000,
    );

    test("was idle: only Leases changed", () => {
      expect(idle.changed).toEqual(["coordination.k8s.io/v1/leases"]);
    });

    test("each cache that can be judged was fresh all the time", () => {
      const judged = idle.readings.filter(({ resource }) => !FORBIDDEN.includes(resource));
      expect(new Set(judged.map(nameOf)).size).toBeGreaterThan(60);
      expect(judged.filter(({ state }) => state !== "fresh").slice(0, 5)).toEqual([]);
    });

    test("each was looked at all the time", () => {
      const counts = Map.groupBy(idle.readings, nameOf);
      const rare = [...counts].filter(([, { length }]) => length < seconds / 20);
      expect(rare.map(([name, { length }]) => `${name}: ${length}`)).toEqual([]);
    });

    test("what may not be watched is unknown, and says why", () => {
      const forbidden = idle.readings.filter(({ resource }) => FORBIDDEN.includes(resource));
      const answers = new Set(
        forbidden.map(({ target, resource, state, why }) => `${target} ${resource}: ${state}, ${why}`),
      );
      expect([...answers].sort()).toEqual([
        expect.stringMatching(
          /^kcm limitranges: unknown, .*(forbidden|cannot list).* the rule to add is .*limitranges/,
        ),
        expect.stringMatching(/^kcm secrets: unknown, Secrets are not watched/),
        expect.stringMatching(/^self limitranges: unknown, .*(forbidden|cannot list).*limitranges/),
      ]);
    });

    test("no watch was opened anew, and no list made again", () => {
      expect(idle.restarts).toEqual([]);
    });

    test("it is ready", () => {
      expect(idle.ready).toBe(true);
    });
  });
}

function nameOf({ target, name, group, version, resource }: Reading): string {
  return [target, name, group, version, resource].join(" ");
}
