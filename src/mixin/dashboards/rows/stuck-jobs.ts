import { lines, table } from "../panels.ts";
import type { Row } from "../row.ts";
import { OBJECTS } from "../selectors.ts";

export const stuckJobsRow: Row = {
  title: "Stuck Jobs",
  panels: [
    lines({
      title: "Stuck Jobs by reason",
      description: "Jobs that do not go on by themselves, by namespace and by the reason that Kubernetes gives.",
      unit: "short",
      width: 24,
      stacked: true,
      queries: [
        {
          expr: `max by (kind, reason, namespace) (stalewatch_stuck_objects{${OBJECTS}}) > 0`,
          legend: "{{namespace}}: {{reason}} ({{kind}})",
        },
      ],
    }),
    table({
      title: "Stuck for",
      description:
        "Each stuck Job with its owner and reason, and how long it has been so. `stalewatch explain KIND` says more about a kind.",
      unit: "s",
      valueTitle: "stuck for",
      queries: [
        {
          expr: `time() - max by (namespace, owner_kind, owner_name, name, kind, reason) (stalewatch_stuck_since_timestamp_seconds{${OBJECTS}})`,
          legend: "",
        },
      ],
    }),
  ],
};
