import { expect, expectTypeOf, test } from "vitest";
import {
  Controller,
  defineInterval,
  defineWatch,
  type DeepReadonly,
  type Job,
  type Lister,
  type Live,
  type Pass,
  type Requeue,
  resources,
} from "stalewatch";
import { type Run, runs } from "./objects.ts";

const { jobs, configMaps } = resources;
const Approval = defineInterval({ name: "Approval", sort: "wait", duration: "10m" });
const Elsewhere = defineInterval({ name: "Elsewhere", sort: "wait", duration: "1m" });

/** A helper that takes any pass over a Run, whatever its controller's intervals. */
function noteOf({ object }: Pass<Run>): string | undefined {
  return object.status?.note;
}

test("a reconcile knows its kinds and intervals without being told", () => {
  const runner = new Controller("runner", {
    for: runs,
    owns: [jobs],
    watches: [
      defineWatch(configMaps, (map) => [{ namespace: map.metadata.namespace ?? "", name: map.data?.["run"] ?? "" }]),
    ],
    intervals: [Approval],
    async reconcile(pass) {
      const { object: run, cached, live, write, requeue } = pass;
      expectTypeOf(run).toEqualTypeOf<DeepReadonly<Run>>();
      expectTypeOf(cached(jobs)).toEqualTypeOf<Lister<Job>>();
      expectTypeOf(requeue.after(Approval)).toEqualTypeOf<Requeue>();
      expectTypeOf(noteOf(pass)).toEqualTypeOf<string | undefined>();

      // @ts-expect-error -- an interval that the controller does not declare
      requeue.after(Elsewhere);
      // @ts-expect-error -- cached objects are shared, nobody may change one
      run.spec.approved = true;
      // @ts-expect-error -- a cached object may lack fields, writing it back would erase them
      await write.update(runs, run);
      // @ts-expect-error -- the status has no such field
      await write.patchStatus(run, { fase: "Done" });

      await write.patchStatus(run, { phase: "Done", note: null });
      const fresh = await live.get(runs, run.metadata);
      expectTypeOf(fresh).toEqualTypeOf<Live<Run>>();
      await write.update(runs, fresh);
      return requeue.after(Approval);
    },
  });
  expect(runner.intervals.map(({ name }) => name)).toContain("Approval");
});

test("a bare number is no requeue", () => {
  const options = { for: runs, reconcile: () => 30 };
  // @ts-expect-error -- return requeue.after(interval)
  expect(() => new Controller("runner", options)).not.toThrow();
});
