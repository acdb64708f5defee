import { noFalseAlarm } from "../real/no-false-alarm/suite.ts";

/** An hour: in it every watch comes to its end several times. */
noFalseAlarm(3_600);
