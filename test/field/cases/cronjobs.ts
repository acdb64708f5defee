import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import { DAY, HOUR, iso, MINUTE, msAt } from "../time.ts";
import {
  changed,
  complete,
  cronJob,
  ended,
  entry,
  job,
  ownerReferences,
  pod,
  running,
  waiting,
  warning,
  type Wire,
} from "../wire.ts";

const IMAGE = "Back-off pulling image registry.example/main:v1";

/** The controller names Jobs after the minute in which they are due. */
function runName(due: number): string {
  return `sync-${msAt(due) / 60_000}`;
}

/** The run of a CronJob that was due at `due`. */
function runOf(cron: Wire, due: number, status?: object): Wire {
  const metadata = { ownerReferences: ownerReferences(cron) };
  return job(runName(due), due, { metadata, ...(status ? { status } : {}) });
}

function started(cron: Wire, due: number, ...runs: readonly Wire[]): Wire {
  return changed(cron, { status: { lastScheduleTime: iso(due), active: runs.map(entry) } });
}

export const cronJobCases: readonly FieldCase[] = [
  {
    id: "A01",
    url: "https://github.com/kubernetes/kubernetes/issues/128358",
    symptom: "A CronJob every five minutes with Forbid has had a Job for 84 minutes that has no pod at all.",
    twin: "The pod is made anew within ten seconds.",
    tell(tape, healthy) {
      const cron = cronJob("sync", -DAY, "*/5 * * * *");
      const run = runOf(cron, 0, { startTime: iso(0), active: 1, ready: 1 });
      const first = pod(run, 1, { status: running(2) }, "first");
      tape.add(0, started(cron, 0, run), run);
      tape.add(1, first);
      tape.remove(120, first);
      if (!healthy) return;
      const second = pod(run, 130, { status: running(131) }, "second");
      tape.add(130, second);
      tape.change(240, changed(second, { status: ended(240) }));
      tape.change(241, changed(run, { status: complete(0, 241) }));
      tape.change(242, changed(started(cron, 0), { status: { lastSuccessfulTime: iso(241) } }));
      for (let due = 300; due < 84 * MINUTE; due += 300) {
        const next = runOf(cron, due);
        tape.add(due, next);
        tape.change(due, started(cron, due, next));
        tape.change(due + 60, changed(next, { status: complete(due, due + 60) }));
        tape.change(due + 61, started(cron, due));
        if (due > 900) tape.remove(due + 62, runOf(cron, due - 900));
      }
    },
    end: 84 * MINUTE,
    restartAt: 40 * MINUTE,
    verdicts: [
      {
        at: 84 * MINUTE,
        findings: [
          {
            kind: "S25",
            object: `Job/${runName(0)}`,
            owner: "CronJob/sync",
            since: 120,
            observed: true,
            severity: "critical",
          },
          { kind: "S32", object: "CronJob/sync", since: 300, severity: "critical" },
        ],
      },
    ],
  },
  {
    id: "A10",
    url: "https://github.com/kubernetes/kubernetes/issues/58748",
    symptom: "An image that cannot be pulled, and Jobs pile up although the CronJob says Forbid.",
    twin: "The policy is Allow and the pods of the Jobs run.",
    tell(tape, healthy) {
      const cron = cronJob("sync", -DAY, "* * * * *", {
        spec: { concurrencyPolicy: healthy ? "Allow" : "Forbid" },
        status: { lastScheduleTime: iso(0) },
      });
      const runs: Wire[] = [];
      tape.add(0, cron);
      for (let due = MINUTE; due < 24 * MINUTE; due += MINUTE) {
        const run = runOf(cron, due, { startTime: iso(due), active: 1, ready: healthy ? 1 : 0 });
        runs.push(run);
        tape.add(due, run);
        tape.change(due, started(cron, due, ...runs));
        const status = healthy ? running(due + 1) : waiting("ImagePullBackOff", IMAGE);
        tape.add(due + 1, pod(run, due + 1, { status }));
      }
    },
    end: 24 * MINUTE,
    restartAt: 16 * MINUTE,
    verdicts: [
      // Kept are 3 + 1, so twelve are three times as many, and the thirteenth is due in minute 13.
      { at: 10 * MINUTE, findings: [] },
      {
        at: 24 * MINUTE,
        findings: [
          { kind: "S31", object: "CronJob/sync", since: 13 * MINUTE, severity: "warning" },
          ...pullFindings(24 * MINUTE),
        ],
      },
    ],
  },
  {
    id: "A27",
    url: "https://github.com/harn3ss/open-infra/issues/104",
    symptom:
      "A run that hangs has kept an hourly CronJob with Forbid from starting anything for twelve hours, and nobody noticed.",
    twin: "The CronJob is suspended.",
    tell(tape, healthy) {
      const cron = cronJob("sync", -DAY, "0 * * * *", { spec: { suspend: healthy } });
      const run = runOf(cron, 0, { startTime: iso(0), active: 1, ready: 1 });
      tape.add(0, started(cron, 0, run), run);
      tape.add(1, pod(run, 1, { status: running(2) }));
    },
    end: 12 * HOUR + MINUTE,
    restartAt: 6 * HOUR,
    verdicts: [
      { at: 59 * MINUTE, findings: [] },
      { at: 90 * MINUTE, findings: [{ kind: "S32", object: "CronJob/sync", since: HOUR, severity: "warning" }] },
      {
        at: 12 * HOUR + MINUTE,
        findings: [{ kind: "S32", object: "CronJob/sync", since: HOUR, severity: "critical" }],
      },
    ],
  },
  {
    id: "A29",
    url: "https://github.com/kubernetes/kubernetes/issues/82753",
    symptom: "The list of active Jobs names one that was deleted by hand, and the weekly run is skipped.",
    twin: "The controller tells of the missing Job and clears the list.",
    tell(tape, healthy) {
      const cron = cronJob("sync", -8 * DAY, "0 10 * * 1");
      const run = runOf(cron, 0, { startTime: iso(0), active: 1, ready: 1 });
      const only = pod(run, 1, { status: running(2) });
      tape.add(0, started(cron, 0, run), run);
      tape.add(1, only);
      tape.remove(600, run);
      tape.remove(602, only);
      if (!healthy) return;
      tape.add(601, warning(cron, "MissingJob", `Active job went missing: ${run.metadata.name}`, { first: 601 }));
      tape.change(601, started(cron, 0));
      const next = runOf(cron, 7 * DAY, { startTime: iso(7 * DAY), active: 1, ready: 1 });
      tape.add(7 * DAY, next);
      tape.change(7 * DAY, started(cron, 7 * DAY, next));
      tape.add(7 * DAY + 1, pod(next, 7 * DAY + 1, { status: running(7 * DAY + 2) }));
    },
    end: 7 * DAY + HOUR,
    restartAt: 3 * DAY,
    verdicts: [
      { at: 700, findings: [] },
      { at: 800, findings: [ghostFinding("warning")] },
      { at: 7 * DAY + 5, findings: [ghostFinding("critical")] },
      { at: 7 * DAY + HOUR, findings: [ghostFinding("critical")] },
    ],
  },
  {
    id: "A30",
    url: "https://github.com/kubernetes/kubernetes/pull/120649",
    symptom: "The Job is made and the write of the CronJob's status fails, so that each sync tries to make it again.",
    twin: "The next sync writes the status.",
    tell(tape, healthy) {
      const cron = cronJob("sync", -DAY, "0 * * * *", { status: { lastScheduleTime: iso(-HOUR) } });
      const run = runOf(cron, 0, { startTime: iso(0), active: 1, ready: 1 });
      const text = `Error creating job: jobs.batch "${run.metadata.name}" already exists`;
      tape.list(-1, "batch/v1", "CronJob", [cron]);
      tape.add(0, run);
      tape.add(1, pod(run, 1, { status: running(2) }));
      tape.add(2, warning(cron, "FailedCreate", text, { first: 2 }));
      if (healthy) {
        tape.change(10, started(cron, 0, run));
        tape.change(5 * MINUTE, changed(run, { status: complete(0, 5 * MINUTE) }));
        tape.change(5 * MINUTE + 1, started(cron, 0));
        return;
      }
      for (let count = 2; count <= 20; count += 1) {
        tape.change(count * 30, warning(cron, "FailedCreate", text, { first: 2, last: count * 30, count }));
      }
    },
    end: 15 * MINUTE,
    restartAt: 6 * MINUTE,
    verdicts: [
      { at: 110, findings: [] },
      { at: 3 * MINUTE, findings: [{ kind: "S33", object: "CronJob/sync", since: 0, severity: "warning" }] },
      { at: 15 * MINUTE, findings: [{ kind: "S33", object: "CronJob/sync", since: 0, severity: "critical" }] },
    ],
  },
];

/** The Jobs whose pod has not got its image for ten minutes. */
function pullFindings(at: number): readonly ExpectedFinding[] {
  const runs = Array.from({ length: 23 }, (_, index) => (index + 1) * MINUTE);
  return runs
    .filter((due) => at - due - 1 >= 10 * MINUTE)
    .map((due) => ({
      kind: "S13",
      object: `Job/${runName(due)}`,
      owner: "CronJob/sync",
      since: due + 1,
      severity: "warning",
    }));
}

function ghostFinding(severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S33", object: "CronJob/sync", since: 600, observed: true, severity };
}
