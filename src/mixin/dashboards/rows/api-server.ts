import { lines } from "../panels.ts";
import type { Row } from "../row.ts";
import { PROCESS, RATE, quantiles } from "../selectors.ts";

export const apiServerRow: Row = {
  title: "API server",
  panels: [
    lines({
      title: "Requests",
      description: "Each attempt by status code; <error> is no answer at all.",
      unit: "reqps",
      stacked: true,
      queries: [
        {
          expr: `sum by (code, method) (rate(rest_client_requests_total{${PROCESS}}${RATE}))`,
          legend: "{{method}} {{code}}",
        },
      ],
    }),
    lines({
      title: "Time of a call",
      description: "Waits for the client's own rate limiter and retries included; watches are not in it.",
      unit: "s",
      queries: quantiles("rest_client_request_duration_seconds", PROCESS, "verb"),
    }),
    lines({
      title: "Wait for the client's rate limiter",
      description: "Above 0 for long: --kube-api-qps is too low for this load.",
      unit: "s",
      queries: quantiles("rest_client_rate_limiter_duration_seconds", PROCESS, "verb"),
    }),
  ],
};
