import { lines } from "../panels.ts";
import type { Row } from "../row.ts";
import { PROCESS, RATE } from "../selectors.ts";

export const processRow: Row = {
  title: "Process",
  panels: [
    lines({
      title: "CPU",
      description: "Cores that the process uses.",
      unit: "short",
      queries: [
        { expr: `sum by (instance) (rate(process_cpu_seconds_total{${PROCESS}}${RATE}))`, legend: "{{instance}}" },
      ],
    }),
    lines({
      title: "Memory",
      description: "Resident memory, and the part that JavaScript objects use.",
      unit: "bytes",
      queries: [
        { expr: `sum by (instance) (process_resident_memory_bytes{${PROCESS}})`, legend: "{{instance}} resident" },
        { expr: `sum by (instance) (nodejs_heap_size_used_bytes{${PROCESS}})`, legend: "{{instance}} heap used" },
      ],
    }),
    lines({
      title: "Event loop delay",
      description:
        "The longest and the 99th percentile since the scrape before. Above 50 ms everything else here is late too.",
      unit: "s",
      queries: [
        { expr: `max by (instance) (nodejs_eventloop_lag_p99_seconds{${PROCESS}})`, legend: "{{instance}} p99" },
        { expr: `max by (instance) (nodejs_eventloop_lag_max_seconds{${PROCESS}})`, legend: "{{instance}} longest" },
      ],
    }),
  ],
};
