// Writes what is generated from the sources: `npm run generate`. With --check it writes nothing and fails when a file has drifted.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { stringify } from "yaml";
import { renderFlagsPage } from "../src/cli/index.ts";
import { controllersDashboard } from "../src/mixin/dashboards/controllers.ts";
import { prometheusRule, ruleFile } from "../src/mixin/index.ts";
import { recordingFiles } from "../test/field/recordings.ts";
import { apiModel } from "./generate/api-model.ts";
import { alertsDoc } from "./generate/alerts-doc.ts";
import { architectureDoc } from "./generate/architecture-doc.ts";
import { fieldCasesDoc } from "./generate/field-cases-doc.ts";
import { metricsDoc } from "./generate/metrics-doc.ts";
import { areaNames, runtimeApiIndex, runtimeApiPage, testingApiPage } from "./generate/runtime-api-doc.ts";
import { stuckJobsDoc } from "./generate/stuck-jobs-doc.ts";

/** Every generated file by its path, as its whole text. */
const files: Readonly<Record<string, () => string | Promise<string>>> = {
  "alerts/stalewatch.rules.yaml": () => yaml(ruleFile()),
  "alerts/stalewatch.prometheusrule.yaml": () => yaml(prometheusRule()),
  "dashboards/stalewatch-controllers.json": () => `${JSON.stringify(controllersDashboard(), undefined, 2)}\n`,
  "docs/alerts.md": alertsDoc,
  "docs/field-cases.md": fieldCasesDoc,
  "docs/metrics.md": metricsDoc,
  "docs/flags.md": renderFlagsPage,
  "docs/stuck-jobs.md": stuckJobsDoc,
  "docs/reference/runtime-api/README.md": runtimeApiIndex,
  "docs/reference/runtime-api/testing.md": testingApiPage,
  ...Object.fromEntries(areaNames.map((area) => [`docs/reference/runtime-api/${area}.md`, () => runtimeApiPage(area)])),
  "etc/stalewatch.api.md": () => apiModel("stalewatch").report,
  "etc/stalewatch-testing.api.md": () => apiModel("stalewatch-testing").report,
  ...Object.fromEntries(Object.entries(recordingFiles()).map(([path, text]) => [path, () => text])),
  "docs/architecture.md": () => architectureDoc(read("docs/architecture.md") ?? ""),
};

const check = process.argv.includes("--check");
const drifted: string[] = [];
for (const [path, make] of Object.entries(files)) {
  const text = await make();
  if (read(path) === text) continue;
  drifted.push(path);
  if (check) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
for (const path of drifted)
  console.log(check ? `${path} is not what the sources say: npm run generate` : `wrote ${path}`);
if (check && drifted.length > 0) process.exitCode = 1;

function yaml(value: object): string {
  return `# Generated from src/mixin: npm run generate. Changes made here are lost.\n${stringify(value, { lineWidth: 0 })}`;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
