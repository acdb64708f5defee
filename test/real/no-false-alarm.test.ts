import { noFalseAlarm } from "./no-false-alarm/suite.ts";

/** `STALEWATCH_IDLE_SECONDS=120` for a look: readiness waits so long for what is forbidden. */
noFalseAlarm(Number(process.env["STALEWATCH_IDLE_SECONDS"] ?? 300));
