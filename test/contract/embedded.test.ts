import { afterAll, beforeAll } from "vitest";
import type { ExchangeRequest, Transport } from "../../src/base/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { contract } from "./contract.ts";
import type { ContractTarget } from "./target.ts";

/** Long enough for the server's own waits to pass in a few ticks, short enough that nothing is missed. */
const TICK_MS = 100;

let cluster: EmbeddedCluster;
let target: ContractTarget;

beforeAll(async () => {
  cluster = await EmbeddedCluster.start({ users: { "nobodys-token": "nobody" } });
  cluster.register({
    group: "contract.test",
    version: "v1",
    kind: "Widget",
    resource: "widgets",
    subresources: ["status"],
  });
  cluster.forbid({ user: "nobody" });
  target = {
    transport: cluster.transport(),
    nobody: withToken(cluster.transport(), "nobodys-token"),
    stranger: withToken(cluster.transport(), "a-strangers-token"),
    widgets: "/apis/contract.test/v1/namespaces/NAMESPACE/widgets",
    tick: () => cluster.settle({ advance: TICK_MS }),
    compact: async () => cluster.compact(),
  };
});

afterAll(() => cluster[Symbol.asyncDispose]());

contract("the embedded server", () => target);

function withToken(transport: Transport, token: string): Transport {
  return {
    exchange: (request: ExchangeRequest) =>
      transport.exchange({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
    close: () => transport.close(),
  };
}
