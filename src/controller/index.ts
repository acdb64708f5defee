// controller/: passes over objects, and what runs them.
// Promises: never two passes for one key at once; a pass sees the earlier writes for its key; how it ended is deduced from what
// it wrote. Never exits the process, holds no connection of its own.
// Start with controller.ts (what a user writes), then pass-runner.ts (one pass), controller-run.ts (the workers), manager.ts.
export { Controller } from "./controller.ts";
export {
  type ControllerOptions,
  defineWatch,
  type OwnedChange,
  type Source,
  type Sweep,
  type Watch,
} from "./controller-options.ts";
export { EventRecorder, type EventRecorderOptions, type EventType } from "./event-recorder.ts";
export { consistencyGate, parseFeatureGates } from "./feature-gates.ts";
export { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
export type { LeaderElectionOptions } from "./leadership.ts";
export type { ControllerStatus, ManagedController } from "./managed-controller.ts";
export { Manager, type ManagerOptions, type ManagerState, type ManagerStatus } from "./manager.ts";
export { controllerMetrics, type PassOutcome } from "./metrics.ts";
export { controllerRef, setOwner } from "./owner.ts";
export type { CreateOptions, MergePatch, Pass, PassWriter, Requeues, StatusPatch } from "./pass.ts";
export { stopOnSignals } from "./stop-on-signals.ts";
export { TerminalError } from "./terminal-error.ts";
