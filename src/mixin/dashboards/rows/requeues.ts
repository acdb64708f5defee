import { lines } from "../panels.ts";
import type { Row } from "../row.ts";
import { CONTROLLER, RATE, quantiles } from "../selectors.ts";

export const requeuesRow: Row = {
  title: "Requeues",
  panels: [
    lines({
      title: "Requeues by how they ended",
      description:
        "Fired at their time, superseded by an event that came first, dropped at shutdown. Mostly superseded: the interval could be longer.",
      unit: "ops",
      stacked: true,
      queries: [
        {
          expr: `sum by (controller, interval, outcome) (rate(requeues_total{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: {{interval}} {{outcome}}",
        },
      ],
    }),
    lines({
      title: "Lateness",
      description: "How long after its due time the pass of a fired requeue began.",
      unit: "s",
      queries: quantiles("requeue_lateness_seconds", CONTROLLER, "controller, interval"),
    }),
    lines({
      title: "Delay asked for",
      description: "The mean delay that passes asked for, beside the interval's configured duration.",
      unit: "s",
      queries: [
        {
          expr: `sum by (controller, interval) (rate(requeue_delay_seconds_sum{${CONTROLLER}}${RATE})) / sum by (controller, interval) (rate(requeue_delay_seconds_count{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: {{interval}}",
        },
        {
          expr: `max by (controller, interval) (requeue_interval_seconds{${CONTROLLER}})`,
          legend: "{{controller}}: {{interval}} configured",
        },
      ],
    }),
  ],
};
