// The peer: client-node's informer, as its README uses it. Argument: a kubeconfig file.
import { BatchV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import { measure } from "./report.ts";

const config = new KubeConfig();
config.loadFromFile(process.argv[2] ?? "");
const api = config.makeApiClient(BatchV1Api);
let added = 0;
let updated = 0;
const informer = makeInformer(config, "/apis/batch/v1/jobs", () => api.listJobForAllNamespaces());
informer.on("add", () => (added += 1));
informer.on("update", () => (updated += 1));
informer.on("error", (error: unknown) => {
  throw error;
});

await measure(
  async () => {
    await informer.start();
    return added;
  },
  () => updated,
);
