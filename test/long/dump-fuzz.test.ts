import * as fc from "fast-check";
import { dumpProperties } from "../dump/properties.ts";

// Other stories than the short suite's, and others each time unless SEED says which; fast-check prints the seed of a failure.
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? Date.now()) });

/** About an hour. `CASES=15000 npm run test:long -- dump-fuzz` for a look. */
dumpProperties(Number(process.env["CASES"] ?? 200_000), 2 * 3_600_000);
