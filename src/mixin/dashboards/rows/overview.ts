import { stat } from "../panels.ts";
import type { Row } from "../row.ts";
import { CONTROLLER, OBJECTS, PROCESS, RATE } from "../selectors.ts";

export const overviewRow: Row = {
  title: "Overview",
  panels: [
    stat({
      title: "Stuck Jobs",
      description: "Jobs that do not go on by themselves, in all namespaces. The table at the bottom names them.",
      unit: "short",
      queries: [{ expr: `sum(stalewatch_stuck_objects{${OBJECTS}}) or vector(0)`, legend: "stuck" }],
    }),
    stat({
      title: "Passes",
      description: "Passes a second of all controllers, skipped ones included.",
      unit: "ops",
      queries: [{ expr: `sum(rate(stalewatch_passes_total{${CONTROLLER}}${RATE}))`, legend: "passes" }],
    }),
    stat({
      title: "Failed passes",
      description: "Share of passes that failed. A failed key is tried again, each time later.",
      unit: "percentunit",
      queries: [
        {
          expr: `sum(rate(stalewatch_passes_total{${CONTROLLER}, outcome=~"error|terminal"}${RATE})) / sum(rate(stalewatch_passes_total{${CONTROLLER}}${RATE}))`,
          legend: "failed",
        },
      ],
    }),
    stat({
      title: "Skipped passes",
      description: "Share of passes skipped because a cache did not show the controller's own writes yet.",
      unit: "percentunit",
      queries: [
        {
          expr: `sum(rate(stalewatch_passes_total{${CONTROLLER}, outcome="skipped"}${RATE})) / sum(rate(stalewatch_passes_total{${CONTROLLER}}${RATE}))`,
          legend: "skipped",
        },
      ],
    }),
    stat({
      title: "Keys waiting",
      description: "Keys that need work now, over all queues.",
      unit: "short",
      queries: [{ expr: `sum(workqueue_depth{${CONTROLLER}})`, legend: "keys" }],
    }),
    stat({
      title: "Series dropped",
      description:
        "Series left out in the last hour because a family is at --max-series. Not 0: what is shown is incomplete.",
      unit: "short",
      queries: [
        { expr: `sum(increase(stalewatch_series_dropped_total{${PROCESS}}[1h])) or vector(0)`, legend: "dropped" },
      ],
    }),
  ],
};
