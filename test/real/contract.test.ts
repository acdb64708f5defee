import { afterAll, beforeAll } from "vitest";
import { contract } from "../contract/contract.ts";
import { HttpsTransport } from "../contract/https-transport.ts";
import type { ContractTarget } from "../contract/target.ts";
import { clusterTools, describeReal, eventually, pause, RealCluster } from "./harness/index.ts";

const TICK_MS = 50;

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.contract.test" },
  spec: {
    group: "contract.test",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

/** A cluster of its own, since the contract throws away history. */
describeReal("the contract", clusterTools, () => {
  let cluster: RealCluster;
  let target: ContractTarget;

  beforeAll(async () => {
    cluster = await RealCluster.start();
    await cluster.raw.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
    await eventually("widgets are served", async () => {
      return (await cluster.raw.exchange("GET", "/apis/contract.test/v1/widgets")).status === 200;
    });
    const { server } = cluster;
    const ca = cluster.authority.ca.cert;
    target = {
      transport: new HttpsTransport({ server, ca, cert: cluster.admin.cert, key: cluster.admin.key }),
      nobody: new HttpsTransport({ server, ca, ...(await cluster.user("contract-nobody", [])) }),
      stranger: new HttpsTransport({ server, ca, token: "nobody-has-this" }),
      widgets: "/apis/contract.test/v1/namespaces/NAMESPACE/widgets",
      tick: () => pause(TICK_MS),
      compact: () => cluster.compactEtcd(),
    };
  });

  afterAll(async () => {
    await Promise.all([target.transport.close(), target.nobody.close(), target.stranger.close()]);
    await cluster.stop();
  });

  contract("kube-apiserver", () => target);
});
