import type { ManagedController } from "../controller/index.ts";
import { type Condition, defineResource, type ObjectMeta, type Resource } from "../resources/index.ts";

/** What examples/job-runner looks after, as far as the demo needs to know. */
export interface TerraformRun {
  metadata: ObjectMeta;
  spec: { image: string };
  status?: { conditions?: Condition[] };
}

export const terraformRuns: Resource<TerraformRun> = defineResource<TerraformRun>({
  group: "example.com",
  version: "v1",
  kind: "TerraformRun",
  resource: "terraformruns",
});

/** The package's imports lead there. No literal: the example is compiled by itself, since it imports stalewatch as users do. */
const EXAMPLE: string = "#job-runner";

/** The controller of examples/job-runner. */
export async function exampleController(): Promise<ManagedController> {
  const example = (await import(EXAMPLE)) as { jobRunner(): ManagedController };
  return example.jobRunner();
}
