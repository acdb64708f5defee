import { secondsAfter } from "./endings.ts";
import type { Scenario } from "./scenario.ts";

const DEADLINE_SECONDS = 20;

/** What the Job controller should have done, and is not there to do. */
export const stopped: readonly Scenario[] = [
  {
    name: "never-touched",
    kind: "S01",
    reason: "StatusEmpty",
    since: async (place) => (await place.job()).metadata.creationTimestamp,
    async withoutJobController(place) {
      await place.createJob();
    },
  },
  {
    name: "deadline-passed",
    kind: "S19",
    reason: "DeadlinePassed",
    since: async (place) => secondsAfter((await place.job())["status"].startTime, DEADLINE_SECONDS),
    async make(place) {
      await place.createJob({ activeDeadlineSeconds: 3_600 });
      await place.start(await place.podMade());
    },
    async withoutJobController(place) {
      await place.cluster.raw.patch(`${place.batch}/jobs/job`, { spec: { activeDeadlineSeconds: DEADLINE_SECONDS } });
    },
  },
  {
    name: "pods-ended-unnoticed",
    kind: "S25",
    reason: "PodsEnded",
    since: async (place) => (await place.podMade())["status"].containerStatuses[0].state.terminated.finishedAt,
    async make(place) {
      await place.createJob();
      await place.start(await place.podMade());
    },
    async withoutJobController(place) {
      await place.end(await place.podMade());
    },
  },
];
