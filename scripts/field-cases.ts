// Replays the recordings of public reports and prints what came of each: `npm run field-cases`. Fails when fewer than 95 % are judged
// rightly, or when a healthy look-alike is given a warning.
import { fieldCaseTable } from "./generate/field-cases-doc.ts";

const ENOUGH = 0.95;

const { text, right, falseAlarms } = await fieldCaseTable();
process.stdout.write(text);
if (right < ENOUGH || falseAlarms > 0) process.exitCode = 1;
