import { expect, test } from "vitest";
import { clusterTools, describeReal, sharedCluster } from "./harness/index.ts";

describeReal("the shared cluster", clusterTools, () => {
  test("serves the version that tools/real-components pins", async () => {
    const cluster = sharedCluster();
    const version = await cluster.raw.get<{ gitVersion: string }>("/version");
    expect(version.gitVersion).toMatch(/^v1\.37\.\d+$/);
  });
});
