import { lines } from "../panels.ts";
import type { Row } from "../row.ts";
import { CONTROLLER, PROCESS, RATE, quantiles } from "../selectors.ts";

export const cachesRow: Row = {
  title: "Caches",
  panels: [
    lines({
      title: "Passes skipped for a stale cache",
      description:
        "By the cache that trailed the controller's own writes. Some are normal after bursts of writes; a steady rate is not.",
      unit: "ops",
      queries: [
        {
          expr: `sum by (controller, group, resource) (rate(stale_sync_skips_total{${CONTROLLER}}${RATE}))`,
          legend: "{{controller}}: {{resource}} {{group}}",
        },
      ],
    }),
    lines({
      title: "Wait for the cache",
      description:
        "From the first skip of a key until the cache had caught up. What this says in seconds, users of the object feel.",
      unit: "s",
      queries: quantiles("stale_sync_wait_seconds", CONTROLLER, "controller, resource"),
    }),
    lines({
      title: "Cache versions per second",
      description:
        "How fast each cache's resource version moves. A line at 0 while others move is a watch that is dead.",
      unit: "short",
      queries: [
        {
          expr: `max by (name, group, resource) (deriv(store_resource_version{${PROCESS}}${RATE}))`,
          legend: "{{name}}: {{resource}} {{group}}",
        },
      ],
    }),
    lines({
      title: "Watch restarts",
      description:
        "Per minute, by why the watch before ended. The server ends each watch in good order every 5 to 10 minutes (ended).",
      unit: "cpm",
      stacked: true,
      queries: [
        {
          expr: `60 * sum by (resource, reason) (rate(stalewatch_watch_restarts_total{${PROCESS}}${RATE})) > 0`,
          legend: "{{resource}}: {{reason}}",
        },
      ],
    }),
    lines({
      title: "Relists and failed lists",
      description: "Per hour. A relist means that the watch lost its place; a failed list leaves the cache as it was.",
      unit: "short",
      queries: [
        {
          expr: `sum by (resource, reason) (increase(stalewatch_relists_total{${PROCESS}}[1h])) > 0`,
          legend: "relist {{resource}}: {{reason}}",
        },
        {
          expr: `sum by (resource, reason) (increase(stalewatch_list_failures_total{${PROCESS}}[1h])) > 0`,
          legend: "failed {{resource}}: {{reason}}",
        },
      ],
    }),
    lines({
      title: "Lost watch events",
      description: "Objects per hour that a relist found different from the cache: changes that the watch never told.",
      unit: "short",
      queries: [
        {
          expr: `sum by (resource, change) (increase(stalewatch_relist_differences_total{${PROCESS}}[1h]))`,
          legend: "{{resource}}: {{change}}",
        },
      ],
    }),
    lines({
      title: "Changes not yet applied",
      description: "Changes received and waiting for the cache; a whole list counts as one.",
      unit: "short",
      queries: [
        { expr: `max by (name, resource) (informer_queued_items{${PROCESS}})`, legend: "{{name}}: {{resource}}" },
      ],
    }),
    lines({
      title: "Time to apply a batch",
      description: "Store update and hand-over to handlers, for one batch of changes.",
      unit: "s",
      queries: quantiles("informer_processing_latency_seconds", PROCESS, "name, resource"),
    }),
    lines({
      title: "Objects that could not be used",
      description:
        "Per hour: unreadable objects, objects with a version that cannot be compared, and exceptions of event handlers.",
      unit: "short",
      queries: [
        {
          expr: `sum by (resource) (increase(stalewatch_opaque_objects_total{${PROCESS}}[1h]))`,
          legend: "unreadable {{resource}}",
        },
        {
          expr: `sum by (resource, defect) (increase(stalewatch_defective_objects_total{${PROCESS}}[1h]))`,
          legend: "{{defect}} {{resource}}",
        },
        {
          expr: `sum by (resource) (increase(stalewatch_handler_errors_total{${PROCESS}}[1h]))`,
          legend: "handler {{resource}}",
        },
      ],
    }),
  ],
};
