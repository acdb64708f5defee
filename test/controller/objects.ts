import type { Draft } from "../../src/kube/index.ts";
import { type DeepReadonly, defineResource, type ObjectMeta, type Resource } from "../../src/resources/index.ts";

/** A kind of the tests' own: something that wants one Job once it is approved. */
export interface Run {
  metadata: ObjectMeta;
  spec: { approved: boolean };
  status?: { phase?: string; note?: string };
}

export const runs: Resource<Run> = defineResource<Run>({
  group: "example.com",
  version: "v1",
  kind: "Run",
  resource: "runs",
});

export function runNamed(name: string, metadata: Partial<ObjectMeta> = {}): Run {
  return {
    metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "7", ...metadata },
    spec: { approved: true },
  };
}

/** A Job that nobody runs, under a name of the server's choice. */
export function jobFor(run: DeepReadonly<Run>): Draft {
  const container = { name: "main", image: "busybox" };
  return {
    metadata: { generateName: `${run.metadata.name}-` },
    spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers: [container] } } },
  };
}
