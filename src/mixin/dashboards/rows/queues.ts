import { lines } from "../panels.ts";
import type { Row } from "../row.ts";
import { CONTROLLER, RATE, quantiles } from "../selectors.ts";

export const queuesRow: Row = {
  title: "Queues",
  panels: [
    lines({
      title: "Keys that need work",
      description:
        "By priority: 0 is live work, -100 the first list and resyncs. A flat line above 0 while passes run is starvation.",
      unit: "short",
      stacked: true,
      queries: [
        {
          expr: `sum by (controller, priority) (workqueue_depth{${CONTROLLER}})`,
          legend: "{{controller}}: priority {{priority}}",
        },
      ],
    }),
    lines({
      title: "Wait for a worker",
      description: "From when a key came to need work until a worker had it.",
      unit: "s",
      queries: quantiles("workqueue_queue_duration_seconds", CONTROLLER, "controller"),
    }),
    lines({
      title: "Time with a worker",
      description: "How long workers have a key.",
      unit: "s",
      queries: quantiles("workqueue_work_duration_seconds", CONTROLLER, "controller"),
    }),
    lines({
      title: "Adds and put-backs",
      description:
        "Keys that came to need work, and keys put back to be worked on later: retries and planned requeues.",
      unit: "ops",
      queries: [
        {
          expr: `sum by (controller) (rate(workqueue_adds_total{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: added",
        },
        {
          expr: `sum by (controller) (rate(workqueue_retries_total{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: put back",
        },
      ],
    }),
    lines({
      title: "Longest-running worker",
      description: "How long the worker that has had its key longest has had it. Rising like the clock: it hangs.",
      unit: "s",
      queries: [
        {
          expr: `max by (controller) (workqueue_longest_running_processor_seconds{${CONTROLLER}})`,
          legend: "{{controller}}",
        },
      ],
    }),
    lines({
      title: "Unfinished work",
      description: "Ages of the keys that workers have now, summed.",
      unit: "s",
      queries: [
        { expr: `sum by (controller) (workqueue_unfinished_work_seconds{${CONTROLLER}})`, legend: "{{controller}}" },
      ],
    }),
  ],
};
