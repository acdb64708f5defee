import type { RuleCase } from "../rule-case.ts";

const target = 'job="stalewatch", instance="a:8443"';
const labels = { job: "stalewatch", instance: "a:8443", controller: "runner" };
const passes = (outcome: string): string =>
  `stalewatch_passes_total{${target}, controller="runner", outcome="${outcome}"}`;
const panics = `controller_runtime_reconcile_panics_total{${target}, controller="runner"}`;
const requests = (code: string): string =>
  `rest_client_requests_total{${target}, host="10.0.0.1:443", method="GET", code="${code}"}`;
const build = `stalewatch_build_info{${target}, version="0.1.0", node="v24"}`;

export const passCases: readonly RuleCase[] = [
  {
    alert: "StalewatchReconcileErrors",
    name: "a quarter of the passes fails",
    series: { [passes("error")]: "0+1x60", [passes("terminal")]: "0x60", [passes("changed")]: "0+3x60" },
    at: "45m",
    fires: [
      {
        severity: "warning",
        labels,
        summary: "Passes of controller runner fail.",
        description:
          "25% of the passes of controller runner (a:8443) fail. Failed keys are tried again ever later, so their objects fall behind.",
      },
    ],
    twins: [
      { name: "one in twenty does", series: passes("changed"), values: "0+19x60" },
      { name: "a few did, some time ago", series: passes("error"), values: "0+1x5 5x60" },
    ],
  },
  {
    alert: "StalewatchReconcilePanics",
    name: "a pass threw a TypeError",
    series: { [panics]: "0x10 2x60" },
    at: "12m",
    fires: [
      {
        severity: "warning",
        labels,
        summary: "A pass of controller runner failed through a bug.",
        description:
          "2 passes of controller runner (a:8443) failed in 15 minutes through a bug: a panic, or in JavaScript a TypeError and its like. The log has the stack.",
      },
    ],
    twins: [{ name: "none did", series: panics, values: "0x60" }],
  },
  {
    alert: "StalewatchAPIRequestsFailing",
    name: "half of the requests get no answer",
    series: { [requests("<error>")]: "0+10x60", [requests("200")]: "0+10x60", [build]: "1x60" },
    at: "45m",
    fires: [
      {
        severity: "warning",
        labels: { job: "stalewatch", instance: "a:8443", host: "10.0.0.1:443" },
        summary: "The API server refuses or drops requests of a:8443.",
        description: "50% of the requests of a:8443 to 10.0.0.1:443 end in 429, a 5xx or no answer at all.",
      },
    ],
    twins: [
      { name: "they are answered with 404", series: requests("<error>"), renamed: requests("404") },
      { name: "it is another program's client", series: build, renamed: build.replace("a:8443", "b:8443") },
    ],
  },
];
