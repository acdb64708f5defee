// Fails unless a file that `npm run bench -- --json FILE` has written holds figures, each of the documented fields and no others.
import { readFileSync } from "node:fs";
import { z } from "zod";

const figures = z
  .array(
    z.strictObject({
      name: z.string().min(1),
      unit: z.string().min(1),
      ours: z.number(),
      peer: z.string().min(1),
      peerValue: z.number(),
      ratio: z.number(),
      goal: z.number().positive(),
      met: z.boolean(),
    }),
  )
  .nonempty();

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: node scripts/ci/check-figures.ts FIGURES.json");
const { success, error } = figures.safeParse(JSON.parse(readFileSync(path, "utf8")));
if (!success) {
  console.error(`${path}: ${z.prettifyError(error)}`);
  process.exitCode = 1;
}
