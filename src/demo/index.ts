// demo/: stalewatch at work without a cluster, told in plain words.
// Promises: everything runs in this process and ends with it; what is told was served by the sidecar.
// Does not pretend: limits that are shortened are said to be.
// Start with scenes.ts; stage.ts sets up what they play on, job-runner.ts fetches the example controller.
export { type DemoOptions, runDemo } from "./demo.ts";
