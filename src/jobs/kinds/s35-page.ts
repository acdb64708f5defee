import type { KindPage } from "../stuck-kind.ts";

/** Of what is due by a schedule and does not happen, whether Kubernetes keeps the schedule or a controller of one's own. */
export const neverFiresPage: KindPage = {
  id: "S35",
  name: "never-fires",
  sees: "the next run by the object's own schedule is in the past and has not been started; or nobody can read its schedule or time zone",
  lookAlike:
    "a suspended CronJob; with startingDeadlineSeconds, one run that is past its deadline and will not be made up; a parent whose condition says what it waits for",
  means:
    "Nothing runs, and nothing says so. The schedule or the time zone is wrong, which the controller tells once, in an event, and never tries again; or the controller that should start the run is down, far behind, or refused.",
  remedy: [
    "Read the events of the object: UnparseableSchedule, UnknownTimeZone, InvalidSchedule and FailedCreate name the trouble.",
    "If several are overdue, see whether their controller runs: for CronJobs kube-controller-manager, whose leader renews the lease of that name.",
    "A run that is lost can be started by hand: kubectl create job --from=cronjob/NAME.",
  ],
  limits: { warningMs: 2 * 60_000, criticalMs: 2 * 3_600_000 },
  source: [
    "https://github.com/mitodl/ol-infrastructure/pull/5457",
    "https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/workload/cronjob-metrics.md",
  ],
  reasons: [
    "UnparseableSchedule",
    "UnknownTimeZone",
    "InvalidSchedule",
    "RunNotStarted",
    "RunRefused",
    "ScheduleOverdue",
  ],
};
