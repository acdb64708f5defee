import { createHash } from "node:crypto";
import type { ObjectDraft } from "../src/testing/index.ts";

export interface CronJobRef {
  readonly name: string;
  readonly uid: string;
}

/**
 * A Job as clusters are full of: labels, an owner, a pod template, and the copy of itself that kubectl apply leaves in an annotation.
 * About 2.7 kB of JSON. Suspended, unless `more` says otherwise.
 */
export function jobOfTwoPointSevenKilobytes(
  index: number,
  owner: CronJobRef,
  more: { readonly spec?: object; readonly status?: object } = {},
): ObjectDraft {
  const name = `job-${index}`;
  const labels = {
    "app.kubernetes.io/name": "export",
    "app.kubernetes.io/part-of": `team-${index % 40}`,
    "job-name": name,
  };
  const template = podTemplate(labels);
  const spec = { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: true };
  return {
    metadata: {
      name,
      namespace: "bench",
      labels,
      annotations: {
        "batch.kubernetes.io/job-tracking": "",
        "kubectl.kubernetes.io/last-applied-configuration": filler(name, 1_250),
      },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", ...owner, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: { ...spec, podReplacementPolicy: "TerminatingOrFailed", ...more.spec, template },
    status: more.status ?? {
      conditions: [
        {
          type: "Suspended",
          status: "True",
          lastTransitionTime: "2026-01-02T03:04:05Z",
          reason: "JobSuspended",
          message: "Job suspended",
        },
      ],
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    },
  };
}

function podTemplate(labels: Record<string, string>): object {
  const container = {
    name: "main",
    image: "registry.example/export:1.2.3",
    command: ["/bin/export", "--all"],
    resources: { requests: { cpu: "100m", memory: "128Mi" } },
    terminationMessagePath: "/dev/termination-log",
  };
  return {
    metadata: { labels },
    spec: { restartPolicy: "Never", schedulerName: "default-scheduler", containers: [container] },
  };
}

/** Text that differs from Job to Job, so that nothing is shared between them. */
function filler(seed: string, length: number): string {
  let text = "";
  for (let part = 0; text.length < length; part += 1)
    text += createHash("sha256").update(`${seed}${part}`).digest("hex");
  return text.slice(0, length);
}
