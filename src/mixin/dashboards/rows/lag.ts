import { lines } from "../panels.ts";
import type { Row } from "../row.ts";
import { PROCESS } from "../selectors.ts";

const CACHE = "target, name, group, resource";

export const lagRow: Row = {
  title: "How late caches are",
  panels: [
    lines({
      title: "Lag bounds",
      description:
        "Each cache is late by no less and no more than this. No upper line: nothing has confirmed it since it began. A lower line that climbs like the clock is a watch that is dead.",
      unit: "s",
      queries: [
        {
          expr: `max by (${CACHE}) (stalewatch_cache_lag_max_seconds{${PROCESS}})`,
          legend: "{{target}} {{name}}: {{resource}} {{group}} at most",
        },
        {
          expr: `max by (${CACHE}) (stalewatch_cache_lag_min_seconds{${PROCESS}})`,
          legend: "{{target}} {{name}}: {{resource}} {{group}} at least",
        },
      ],
    }),
    lines({
      title: "Caches by state",
      description:
        "How many caches of each target are in which state. Lagging: late by more than the budget. Stalled: it stands still while others saw what it misses.",
      unit: "short",
      stacked: true,
      queries: [
        {
          expr: `count by (target, state) (stalewatch_cache_state{${PROCESS}} == 1)`,
          legend: "{{target}}: {{state}}",
        },
      ],
    }),
    lines({
      title: "Events behind",
      description: "Events of the kind that each cache has yet to see, at most. No line where they cannot be counted.",
      unit: "short",
      queries: [
        {
          expr: `max by (${CACHE}) (stalewatch_cache_events_behind{${PROCESS}})`,
          legend: "{{target}} {{name}}: {{resource}} {{group}}",
        },
      ],
    }),
  ],
};
