import type { RuleCase } from "../rule-case.ts";

const queue = 'job="stalewatch", instance="a:8443", name="runner", controller="runner"';
const labels = { job: "stalewatch", instance: "a:8443", name: "runner", controller: "runner" };
const depth = (priority: string): string => `workqueue_depth{${queue}, priority="${priority}"}`;
const finished = `workqueue_work_duration_seconds_count{${queue}}`;
const waited = (le: string): string => `workqueue_queue_duration_seconds_bucket{${queue}, le="${le}"}`;
const waitedCount = `workqueue_queue_duration_seconds_count{${queue}}`;
const lateness = (le: string): string =>
  `requeue_lateness_seconds_bucket{job="stalewatch", instance="a:8443", controller="runner", interval="LagRequeue", le="${le}"}`;

export const queueCases: readonly RuleCase[] = [
  {
    alert: "StalewatchQueueNotDraining",
    name: "keys wait and nothing is finished",
    series: { [depth("0")]: "0x5 4x60", [depth("-100")]: "0x5 3x60", [finished]: "0+5x5 25x60" },
    at: "30m",
    fires: [
      {
        severity: "critical",
        labels,
        summary: "Controller runner has work and finishes none of it.",
        description:
          "7 keys wait in the queue of controller runner (a:8443), and no worker has finished one in 10 minutes: all of them hang, or none was started.",
      },
    ],
    twins: [{ name: "something is finished", series: finished, values: "0+5x60" }],
  },
  {
    alert: "StalewatchQueueNotDraining",
    name: "nothing was ever finished",
    series: { [depth("0")]: "4x60", [finished]: "_x60" },
    at: "30m",
    fires: [
      {
        severity: "critical",
        labels,
        summary: "Controller runner has work and finishes none of it.",
        description:
          "4 keys wait in the queue of controller runner (a:8443), and no worker has finished one in 10 minutes: all of them hang, or none was started.",
      },
    ],
    twins: [
      { name: "nothing waits", series: depth("0"), values: "0x60" },
      {
        name: "it is a queue without a controller",
        series: depth("0"),
        renamed: 'workqueue_depth{job="kcm", name="job"}',
      },
    ],
  },
  {
    alert: "StalewatchQueueWaitLong",
    name: "half of the keys wait longer than 100 s",
    series: { [waited("100")]: "0+5x60", [waitedCount]: "0+10x60" },
    at: "45m",
    fires: [
      {
        severity: "warning",
        labels,
        summary: "Keys wait minutes for a worker of controller runner.",
        description:
          "50% of the keys of controller runner (a:8443) wait longer than 100 s before a worker takes them. Every change is acted on that much later.",
      },
    ],
    twins: [
      { name: "one in twenty does", series: waited("100"), values: "0+9.5x60" },
      { name: "no key came at all", series: waitedCount, values: "0x60" },
    ],
  },
  {
    alert: "StalewatchQueueWaitLong",
    name: "the same as Prometheus 3 writes the bound",
    series: { [waited("100.0")]: "0+5x60", [waitedCount]: "0+10x60" },
    at: "45m",
    fires: [
      {
        severity: "warning",
        labels,
        summary: "Keys wait minutes for a worker of controller runner.",
        description:
          "50% of the keys of controller runner (a:8443) wait longer than 100 s before a worker takes them. Every change is acted on that much later.",
      },
    ],
    twins: [{ name: "one in twenty does", series: waited("100.0"), values: "0+9.5x60" }],
  },
  {
    alert: "StalewatchLowPriorityStarved",
    name: "resynced keys stay while live ones are worked on",
    series: { [depth("-100")]: "40x90", [depth("0")]: "2x90", [finished]: "0+5x90" },
    at: "50m",
    fires: [
      {
        severity: "warning",
        labels: { ...labels, priority: "-100" },
        summary: "Low-priority work of controller runner does not get its turn.",
        description:
          "For half an hour at least 40 keys of priority -100 have been waiting in controller runner (a:8443) and they do not get fewer, while other keys are worked on. Objects known only from the first list or a resync are not looked at.",
      },
    ],
    twins: [
      { name: "they get fewer", series: depth("-100"), values: "100-1x90" },
      { name: "they were all taken once", series: depth("-100"), values: "40x35 0 40x60" },
      { name: "nothing at all is finished", series: finished, values: "5x90" },
    ],
  },
  {
    alert: "StalewatchRequeuesLate",
    name: "one requeue in five is minutes late",
    series: {
      [lateness("30")]: "0+8x60",
      [lateness("60")]: "0+8x60",
      [lateness("300")]: "0+10x60",
      [lateness("+Inf")]: "0+10x60",
    },
    at: "45m",
    fires: [
      {
        severity: "warning",
        labels: { job: "stalewatch", instance: "a:8443", controller: "runner", interval: "LagRequeue" },
        summary: "Requeues of LagRequeue in controller runner run late.",
        description:
          "One in ten passes that controller runner (a:8443) asked for after LagRequeue begins 3m 0s or more after its time.",
      },
    ],
    twins: [{ name: "nearly all are on time", series: lateness("30"), values: "0+9.5x60" }],
  },
];
