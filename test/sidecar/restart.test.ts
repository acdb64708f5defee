import { expect, it } from "vitest";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { steps } from "../jobs/live/steps.ts";
import { startSidecar } from "./rig.ts";

it("a restart changes no series of what is stuck, so that no alert is raised anew", async () => {
  await using cluster = await EmbeddedCluster.start();
  const series = async (): Promise<readonly string[]> => {
    await using sidecar = await startSidecar(cluster);
    await cluster.settle({ advance: 2_000 });
    const { body } = await sidecar.get("metrics", "/metrics");
    return body.split("\n").filter((line) => line.startsWith("stalewatch_stuck_since_timestamp_seconds{"));
  };
  for (const step of Object.values(steps)) step(cluster);
  await cluster.settle({ advance: 1_800_000 });
  const before = await series();
  expect(before).toHaveLength(6);
  await cluster.settle({ advance: 60_000 });
  expect(await series()).toEqual(before);
});
