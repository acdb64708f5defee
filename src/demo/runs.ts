import { Controller } from "../controller/index.ts";
import type { Draft } from "../kube/index.ts";
import {
  type DeepReadonly,
  defineResource,
  type Job,
  type ObjectMeta,
  type Resource,
  resources,
} from "../resources/index.ts";

/** What the example controller looks after: "run this image once". */
export interface Run {
  metadata: ObjectMeta;
  spec: { image: string };
  status?: { job?: string; phase?: string };
}

export const runs: Resource<Run> = defineResource<Run>({
  group: "demo.stalewatch.dev",
  version: "v1",
  kind: "Run",
  resource: "runs",
});

/**
 * The example controller: one Job for each Run. It asks its cache whether the Job is there and makes one if not, as most
 * controllers do. The Job's name is generated, so the API server would take a second one without a word; what prevents it is that a
 * pass does not begin before the caches show what earlier passes wrote.
 */
export function runController(): Controller<Run> {
  return new Controller("runner", {
    for: runs,
    owns: [resources.jobs],
    concurrency: 4,
    async reconcile({ object: run, cached, write }) {
      const [job] = cached(resources.jobs).ownedBy(run);
      if (!job) {
        const made = await write.create(resources.jobs, jobFor(run));
        await write.patchStatus(run, { job: made.metadata.name, phase: "Started" });
        return;
      }
      const phase = phaseOf(job);
      if (run.status?.phase !== phase) await write.patchStatus(run, { job: job.metadata.name, phase });
    },
  });
}

function jobFor({ metadata, spec }: DeepReadonly<Run>): Draft {
  const main = { name: "main", image: spec.image };
  return {
    metadata: { generateName: `${metadata.name}-`, annotations: { ...metadata.annotations } },
    spec: { backoffLimit: 2, template: { spec: { restartPolicy: "Never", containers: [main] } } },
  };
}

function phaseOf({ status }: DeepReadonly<Job>): string {
  const ended = status.conditions?.find(({ type, status: is }) => is === "True" && /^(Complete|Failed)$/.test(type));
  return ended?.type ?? "Started";
}
