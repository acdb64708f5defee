import { defineResource, type ObjectMeta, type Resource } from "../../src/resources/index.ts";

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
