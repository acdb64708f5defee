import * as fc from "fast-check";

/**
 * A run of the suites is the same for everybody: a change lands or fails for what it is, not for the stories that chance told. Other
 * stories: SEED=42 npm test, or HISTORIES=10000 with it; the long suites choose their own.
 */
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 20_261_130) });
