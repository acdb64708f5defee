// The peer of a scrape: a registry of prom-client with the same series as a page of metrics. Argument: the page's URL. Prints where it
// serves them.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { ExpositionParser, type Sample } from "../../src/scrape/index.ts";

/** These it collects itself at each scrape, as the sidecar does. */
const OF_THE_PROCESS = /^(?:process|nodejs)_/;

const response = await fetch(process.argv[2] ?? "");
const parser = new ExpositionParser(() => true);
parser.push(new Uint8Array(await response.arrayBuffer()));
const { samples } = parser.end();

const registry = new Registry();
collectDefaultMetrics({ register: registry });
const families = Map.groupBy(samples, ({ name }) => name);
for (const [name, members] of families) if (!OF_THE_PROCESS.test(name)) add(name, members);

const server = createServer((_, answer) => {
  void registry.metrics().then((text) => {
    answer.setHeader("content-type", registry.contentType);
    answer.end(text);
  });
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/metrics`, series: samples.length })}\n`);

/** Each sample is a gauge, the parts of histograms too: the least that the registry can be asked for. */
function add(name: string, members: readonly Sample[]): void {
  const labelNames = new Set(members.flatMap(({ labels }) => [...labels.keys()]));
  const gauge = new Gauge({ name, help: name, labelNames: [...labelNames], registers: [registry] });
  for (const { labels, value } of members) gauge.set(Object.fromEntries(labels), value);
}
