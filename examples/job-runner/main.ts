// Runs the controller against the cluster of the kubeconfig, or of the pod it is in, until it is told to stop.
import { Manager, stopOnSignals } from "stalewatch";
import { jobRunner } from "./job-runner.ts";

await using manager = new Manager({
  controllers: [jobRunner()],
  syncPeriod: "10m",
  leaderElection: { lease: { namespace: process.env["POD_NAMESPACE"] ?? "default", name: "job-runner" } },
});
await manager.run({ signal: stopOnSignals() });
