import { defineConfig } from "vitest/config";
import { sourceConditions } from "./vitest.config.ts";

/** Mostly wait, in clusters of their own: `--project idle` runs them beside the others. */
const idle = ["test/real/no-false-alarm.test.ts", "test/real/healthy-load.test.ts", "test/real/stuck-jobs.test.ts"];

const config: ReturnType<typeof defineConfig> = defineConfig({
  resolve: { conditions: sourceConditions },
  ssr: { resolve: { conditions: sourceConditions } },
  test: {
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "busy",
          include: ["test/real/**/*.test.ts"],
          exclude: idle,
          globalSetup: ["test/real/harness/global-setup.ts"],
        },
      },
      { extends: true, test: { name: "idle", include: idle, fileParallelism: true, maxWorkers: idle.length } },
    ],
  },
});

export default config;
