import type { FieldCase } from "../field-case.ts";
import { HOUR, MINUTE } from "../time.ts";
import { changed, complete, ended, job, pod, running } from "../wire.ts";

export const alertCases: readonly FieldCase[] = [
  {
    id: "E03",
    url: "https://github.com/kubernetes-monitoring/kubernetes-mixin/issues/295",
    symptom: "An alert for failed pods of a Job that has succeeded.",
    twin: "The same without a failed pod.",
    tell(tape, healthy) {
      const work = job("import-1", 0);
      const failures = healthy ? 0 : 2;
      tape.add(0, work);
      for (let count = 1; count <= failures; count += 1) {
        const failing = pod(work, count * 60 - 59, { status: running(count * 60 - 58) }, `f${count}`);
        tape.add(count * 60 - 59, failing);
        tape.change(count * 60 - 10, changed(failing, { status: ended(count * 60 - 10, 1) }));
        tape.change(count * 60 - 9, changed(work, { status: { failed: count } }));
      }
      const last = pod(work, failures * 60 + 1, { status: running(failures * 60 + 2) }, "last");
      tape.add(failures * 60 + 1, last);
      tape.change(200, changed(last, { status: ended(200) }));
      tape.change(201, changed(work, { status: { ...complete(0, 201), failed: failures } }));
    },
    end: 2 * HOUR,
    restartAt: HOUR,
    verdicts: [
      { at: 5 * MINUTE, findings: [] },
      { at: 2 * HOUR, findings: [] },
    ],
  },
];
