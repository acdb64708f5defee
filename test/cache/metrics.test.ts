import { expect, test } from "vitest";
import { cacheMetrics, Informer } from "../../src/cache/index.ts";
import { PrometheusMeter } from "../../src/exposition/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { things } from "./rig.ts";
import { added, bookmark, ScriptedServer } from "./scripted-server.ts";

const series = '{name="stalewatch",group="",version="v1",resource="things"}';

async function scraped(meter: PrometheusMeter): Promise<string[]> {
  return (await meter.scrape()).body.toString().split("\n");
}

test("the store's version is published under both names, by its last 15 digits, and ends with the cache", async () => {
  const meter = new PrometheusMeter({ catalog: cacheMetrics, processMetrics: false });
  const clock = new VirtualClock();
  const server = new ScriptedServer();
  const informer = new Informer({ client: server, resource: things, env: { meter, clock } });
  const stop = new AbortController();
  const running = informer.run({ signal: stop.signal });
  await clock.advance(0);
  expect(await scraped(meter)).toContain(`store_resource_version${series} 0`);
  server.lastWatch.send(added("a", 3), bookmark("9123456789012345678", true));
  await clock.advance(0);
  const lines = await scraped(meter);
  expect(lines).toContain(`store_resource_version${series} 456789012345678`);
  expect(lines).toContain(`informer_store_resource_version${series} 456789012345678`);
  expect(lines).toContain(`informer_queued_items${series} 0`);
  expect(lines).toContain(`informer_processing_latency_seconds_count${series} 1`);
  server.lastWatch.send(bookmark("odd"));
  await clock.advance(0);
  expect(await scraped(meter)).toContain(`store_resource_version${series} 456789012345678`);
  stop.abort();
  await running;
  expect((await scraped(meter)).filter((line) => line.startsWith("store_resource_version{"))).toEqual([]);
});

test("every reason is there from the start, at 0", async () => {
  const meter = new PrometheusMeter({ catalog: cacheMetrics, processMetrics: false });
  void new Informer({ client: new ScriptedServer(), resource: things, env: { meter } });
  const lines = await scraped(meter);
  for (const definition of cacheMetrics) {
    for (const [label, values] of Object.entries(definition.labels)) {
      for (const value of values === "open" ? [] : values) {
        const labels = `{group="",version="v1",resource="things",${label}="${value}"}`;
        expect(lines).toContain(`${definition.name}${labels} 0`);
      }
    }
  }
});
