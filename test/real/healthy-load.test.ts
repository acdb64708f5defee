import { healthyLoad } from "./healthy-load/suite.ts";

/** Less than 240 s is not enough for each life to end. */
healthyLoad(Number(process.env["STALEWATCH_LOAD_SECONDS"] ?? 300));
