import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/base/index.ts";
import { Controller, Manager } from "../../src/controller/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { runs } from "./objects.ts";

const OBJECTS = 500;

test("passes that never wait leave the event loop to others after a slice of time", async () => {
  // Each look at the clock takes a millisecond, so that a slice is a number of passes however fast the machine is.
  let ms = 0;
  const clock: Clock = { ...systemClock, monotonic: () => (ms += 1) };
  await using cluster = await EmbeddedCluster.start({ clock: systemClock });
  cluster.register({ ...runs, subresources: ["status"] });
  for (let nth = 0; nth < OBJECTS; nth++) {
    cluster.objects.create(runs, { metadata: { name: `run-${nth}` }, spec: { approved: true } });
  }
  const { promise: all, resolve: done } = Promise.withResolvers<void>();
  let passes = 0;
  const runner = new Controller("runner", {
    for: runs,
    concurrency: 2,
    reconcile: () => {
      passes += 1;
      if (passes === OBJECTS) done();
    },
  });
  let before = 0;
  let most = 0;
  const everyTurn = (): void => {
    most = Math.max(most, passes - before);
    before = passes;
    if (passes < OBJECTS) setImmediate(everyTurn);
  };
  setImmediate(everyTurn);
  const client = new KubeClient({ transport: cluster.transport() });
  await using manager = new Manager({ controllers: [runner], client, env: { clock } });
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  await all;
  expect(most).toBeLessThanOrEqual(20);
  stop.abort();
  await running;
});
