import { healthyLoad } from "../real/healthy-load/suite.ts";

/** An hour: twelve rounds of all of them. */
healthyLoad(3_600);
