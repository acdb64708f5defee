import { describe, expect, test } from "vitest";
import { RunnerProcess } from "./runner-process.ts";
import { World } from "./world.ts";

describe("a run", () => {
  test("is applied by one Job, and told to be up to date", async () => {
    await using world = await World.start();
    const runner = new RunnerProcess(world);
    world.create("web");
    await world.pass(30_000);
    console.log(world.started, world.run("web"), world.holders());
    expect(world.started).toEqual(["web apply"]);
    expect(world.harm).toEqual([]);
    await runner.stop();
  });
});
