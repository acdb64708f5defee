// Ours: the informer of the runtime. Argument: a kubeconfig file.
import { Informer, KubeClient, loadCluster, resources } from "../../src/index.ts";
import { measure } from "./report.ts";

const cluster = await loadCluster({ kubeconfig: process.argv[2] ?? "" });
const client = new KubeClient({ transport: cluster.transport });
const informer = new Informer({ client, resource: resources.jobs });
let updated = 0;
informer.addHandler((event) => {
  if (event.type === "update") updated += 1;
});

await measure(
  async () => {
    void informer.run({ signal: new AbortController().signal });
    await informer.whenSynced();
    return informer.lister.list().length;
  },
  () => updated,
);
