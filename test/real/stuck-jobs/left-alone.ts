import { eventually } from "../harness/index.ts";
import { transitionOf } from "./place.ts";
import { observed, type Scenario } from "./scenario.ts";

/** Nobody is told to work on it. */
export const leftAlone: readonly Scenario[] = [
  {
    name: "managed-by-nobody",
    kind: "S02",
    reason: "NoStatusWritten",
    since: async (place) => (await place.job()).metadata.creationTimestamp,
    async make(place) {
      await place.createJob({ managedBy: "example.com/jbo-controller" });
    },
  },
  {
    name: "suspended",
    kind: "S07",
    reason: "Suspended",
    since: async (place) => transitionOf(await place.job(), "Suspended"),
    async make(place) {
      await place.createJob({ suspend: true });
      await place.untilJob("it is Suspended", (job) => transitionOf(job, "Suspended"));
    },
  },
  {
    name: "failed-indexes",
    kind: "S40",
    reason: "NoPodForIndex",
    since: observed,
    async make(place) {
      const indexed = { completionMode: "Indexed", completions: 3, parallelism: 1, backoffLimitPerIndex: 0 };
      await place.createJob(indexed);
      const pod = await place.podMade();
      await place.start(pod);
      await place.end(pod, "Failed");
      await place.untilJob("an index has failed", ({ status }) => status.failedIndexes === "0");
      await place.cluster.raw.patch(`${place.batch}/jobs/job`, { spec: { parallelism: 0 } });
      await eventually("only the failed pod is left", async () => (await place.pods()).length === 1);
    },
  },
];
