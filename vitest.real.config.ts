import { defineConfig } from "vitest/config";
import { sourceConditions } from "./vitest.config.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  resolve: { conditions: sourceConditions },
  ssr: { resolve: { conditions: sourceConditions } },
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: ["test/real/harness/global-setup.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

export default config;
