import type { Json } from "../harness/index.ts";
import { ended, podStatus, running, transitionOf, waiting } from "./place.ts";
import type { Act } from "./scenario.ts";

/** What looks like one of the scenarios, and is as it should be. */
export const healthy: readonly Act[] = [
  {
    name: "healthy-succeeded",
    async make(place) {
      await place.createJob();
      const pod = await place.podMade();
      await place.start(pod);
      await place.end(pod);
      await place.untilJob("it is Complete", (job) => transitionOf(job, "Complete"));
    },
  },
  {
    name: "healthy-failed",
    async make(place) {
      await place.createJob({ backoffLimit: 0 });
      const pod = await place.podMade();
      await place.start(pod);
      await place.end(pod, "Failed");
      await place.untilJob("it is Failed", (job) => transitionOf(job, "Failed"));
    },
  },
  {
    name: "healthy-native-sidecar",
    async make(place) {
      const sidecar = { name: "proxy", image: "registry.example.com/proxy:1", restartPolicy: "Always" };
      await place.createJob({}, { template: { spec: { initContainers: [sidecar] } } });
      const pod = await place.podMade();
      await place.bind(pod);
      const status = podStatus("Running", { main: running() });
      const { containerStatuses: initContainerStatuses } = podStatus("Running", { proxy: running() });
      await place.report(pod, { ...status, initContainerStatuses });
    },
  },
  {
    name: "healthy-first-pull",
    async make(place) {
      await place.createJob();
      const pod = await place.podMade();
      await place.bind(pod);
      await place.report(pod, podStatus("Pending", { main: waiting("ContainerCreating", "") }));
    },
  },
  {
    name: "healthy-restarted",
    async make(place) {
      await place.createJob({}, { template: { spec: { restartPolicy: "OnFailure" } } });
      const pod = await place.podMade();
      await place.bind(pod);
      const main = { restartCount: 1, lastState: ended(1).state, ...running() };
      await place.report(pod, podStatus("Running", { main }));
    },
  },
  {
    name: "healthy-failed-index",
    async make(place) {
      const indexed = { completionMode: "Indexed", completions: 3, parallelism: 2, backoffLimitPerIndex: 0 };
      await place.createJob(indexed);
      const [first, second] = (await place.podsMade(2)) as [Json, Json];
      await place.start(first);
      await place.start(second);
      await place.end(first, "Failed");
      await place.untilJob("an index has failed", ({ status }) => status.failedIndexes !== undefined);
      const third = (await place.podsMade(3)).find(({ spec }) => spec.nodeName === undefined) as Json;
      await place.start(third);
    },
  },
];
