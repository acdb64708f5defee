import { noFalseAlarm } from "./no-false-alarm/suite.ts";

/** `IDLE_SECONDS=20` for a look. */
noFalseAlarm(Number(process.env["IDLE_SECONDS"] ?? 300));
