import { noFalseAlarm } from "./no-false-alarm/suite.ts";

/** `STALEWATCH_IDLE_SECONDS=20` for a look. */
noFalseAlarm(Number(process.env["STALEWATCH_IDLE_SECONDS"] ?? 300));
