import { PrometheusMeter } from "../../src/exposition/index.ts";
import type { AppEnv } from "../../src/http/index.ts";
import type { LogFields } from "../../src/telemetry/index.ts";
import { noopLog } from "../../src/telemetry/index.ts";
import { ManualClock } from "../exposition/manual-clock.ts";

export interface TestEnv extends AppEnv {
  readonly clock: ManualClock;
  readonly meter: PrometheusMeter;
  readonly lines: { message: string; fields: LogFields }[];
}

/** A clock that stands still, a meter to read back, and the log's lines. */
export function testEnv(): TestEnv {
  const lines: { message: string; fields: LogFields }[] = [];
  const keep = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields });
  return {
    clock: new ManualClock(),
    meter: new PrometheusMeter({ processMetrics: false }),
    log: { ...noopLog, info: keep, warn: keep, error: keep },
    lines,
  };
}
