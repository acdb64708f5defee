// Prints "PASSED FAILED SKIPPED" of one vitest JSON report. A file that could not be loaded counts as one failure.
import { readFileSync } from "node:fs";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: node scripts/ci/count.ts REPORT.json");
const report = JSON.parse(readFileSync(path, "utf8")) as Report;
const broken = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && assertionResults.every((assertion) => assertion.status !== "failed"),
);
const failed = report.numFailedTests + broken.length;
console.log(`${report.numPassedTests} ${failed} ${report.numPendingTests + report.numTodoTests}`);
