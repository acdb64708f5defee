// base/: what everything else stands on, with no knowledge of Kubernetes.
// Promises: no I/O but the system clock, no state outside the objects it hands out, no dependency.
// Start with clock.ts: time enters the program there and nowhere else.
export { Backoff, type BackoffOptions } from "./backoff.ts";
export { type Clock, sleep, systemClock, type Timer } from "./clock.ts";
export { counted } from "./counted.ts";
export { compareText } from "./compare-text.ts";
export { defined } from "./defined.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export { codesOf, fileProblem, isAbort, messageOf, oneLine, shortName, StalewatchError } from "./errors.ts";
export type { ExchangeRequest, ExchangeResponse, Transport } from "./exchange.ts";
export { KeyedHeap } from "./heap.ts";
export { type Random, seededRandom, systemRandom } from "./random.ts";
export { whenAborted } from "./when-aborted.ts";
export { withinMs } from "./within-ms.ts";
