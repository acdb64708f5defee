import { defineConfig } from "vitest/config";
import { sourceConditions } from "./vitest.config.ts";

const config: ReturnType<typeof defineConfig> = defineConfig({
  resolve: { conditions: sourceConditions },
  ssr: { resolve: { conditions: sourceConditions } },
  test: {
    include: ["test/long/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
  },
});

export default config;
