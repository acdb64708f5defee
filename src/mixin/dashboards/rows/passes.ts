import { lines } from "../panels.ts";
import type { Row } from "../row.ts";
import { CONTROLLER, RATE, quantiles } from "../selectors.ts";

export const passesRow: Row = {
  title: "Passes",
  panels: [
    lines({
      title: "Passes by outcome",
      description:
        "What passes did, deduced from their writes. Mostly noop is normal; mostly changed at rest is a controller that fights somebody.",
      unit: "ops",
      stacked: true,
      queries: [
        {
          expr: `sum by (controller, outcome) (rate(stalewatch_passes_total{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: {{outcome}}",
        },
      ],
    }),
    lines({
      title: "Pass duration",
      description: "How long passes take. Dots lead to the traces of single passes.",
      unit: "s",
      queries: quantiles("controller_runtime_reconcile_time_seconds", CONTROLLER, "controller"),
    }),
    lines({
      title: "Why passes ran",
      description: "Triggers; a pass with merged triggers counts once for each kind.",
      unit: "ops",
      stacked: true,
      queries: [
        {
          expr: `sum by (controller, trigger) (rate(stalewatch_reconcile_triggers_total{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: {{trigger}}",
        },
      ],
    }),
    lines({
      title: "Workers busy",
      description: "Workers that have a key, as a share of all. Near 100 % for long: keys wait for workers.",
      unit: "percentunit",
      queries: [
        {
          expr: `sum by (controller) (controller_runtime_active_workers{${CONTROLLER}}) / sum by (controller) (controller_runtime_max_concurrent_reconciles{${CONTROLLER}})`,
          legend: "{{controller}}",
        },
      ],
    }),
    lines({
      title: "Results as controller-runtime counts them",
      description: "A skipped pass is requeue_after here.",
      unit: "ops",
      stacked: true,
      queries: [
        {
          expr: `sum by (controller, result) (rate(controller_runtime_reconcile_total{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: {{result}}",
        },
      ],
    }),
    lines({
      title: "Failures",
      description: "Errors that are retried, errors that are not (terminal), bugs (panics) and timeouts, per hour.",
      unit: "short",
      queries: ["errors", "terminal_reconcile_errors", "panics", "timeouts"].map((kind) => {
        const name = kind.startsWith("terminal") ? kind : `reconcile_${kind}`;
        const legend = `{{controller}}: ${kind.replace("_reconcile_errors", "")}`;
        return { expr: `sum by (controller) (increase(controller_runtime_${name}_total{${CONTROLLER}}[1h]))`, legend };
      }),
    }),
  ],
};
