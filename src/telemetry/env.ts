import { type Clock, type Random, systemClock, systemRandom } from "../base/index.ts";
import { type Log, noopLog } from "./logs.ts";
import { type Meter, noopMeter } from "./metrics.ts";
import { noopTracer, type Tracer } from "./traces.ts";

/** What every long-lived object takes from outside: time, chance, and where its telemetry goes. */
export interface Env {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  readonly tracer: Tracer;
}

/** Fills what is missing: the system's clock and randomness, telemetry that goes nowhere. */
export function resolveEnv(partial: Partial<Env> = {}): Env {
  return {
    clock: partial.clock ?? systemClock,
    random: partial.random ?? systemRandom,
    log: partial.log ?? noopLog,
    meter: partial.meter ?? noopMeter,
    tracer: partial.tracer ?? noopTracer,
  };
}
