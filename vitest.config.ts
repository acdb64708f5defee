import { defineConfig } from "vitest/config";

export const sourceConditions: string[] = ["stalewatch-source", "node"];

const config: ReturnType<typeof defineConfig> = defineConfig({
  resolve: { conditions: sourceConditions },
  ssr: { resolve: { conditions: sourceConditions } },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "test/long/**", "node_modules/**"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
  },
});

export default config;
