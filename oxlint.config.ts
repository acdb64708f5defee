import { readFileSync } from "node:fs";
import { defineConfig, type OxlintOverride } from "oxlint";

interface Floor {
  floor: string[];
  is: string;
}

/** Top floor first: a folder imports only folders of lower floors, and of another folder only its index.ts. */
const floors = JSON.parse(readFileSync(new URL("floors.json", import.meta.url), "utf8")) as Floor[];

const folders = floors.flatMap(({ floor }) => floor);

/** `group` patterns read like .gitignore: later ones with "!" take back. */
const insides = folders.flatMap((name) => [
  `../${name}/*`,
  `!../${name}/index.ts`,
  `../../${name}/*`,
  `!../../${name}/index.ts`,
]);

const floorRules: OxlintOverride[] = floors.flatMap(({ floor }, level) =>
  floor.map((folder) => {
    const forbidden = floors.slice(0, level + 1).flatMap((other) => other.floor.filter((name) => name !== folder));
    const upwards = {
      regex: `^(\\.\\./)+(${forbidden.join("|")})/`,
      message: "imports go down the floors only (floors.json)",
    };
    const served = {
      regex: "^(\\.\\./)+testing/",
      message: "only demo/, tests and examples import the embedded API server",
    };
    const sideways = { group: insides, message: "import another folder through its index.ts" };
    return {
      files: [`src/${folder}/**`],
      rules: {
        "no-restricted-imports": [
          "error",
          { patterns: [...(forbidden.length > 0 ? [upwards] : []), ...(folder === "demo" ? [] : [served]), sideways] },
        ],
      },
    };
  }),
);

const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  ignorePatterns: ["dist/**", "node_modules/**", "tools/**"],
  rules: {
    "import/no-default-export": "error",
    "import/no-cycle": "error",
    "oxc/no-barrel-file": "off",
    "no-await-in-loop": "off",
    "no-underscore-dangle": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "oxc/no-map-spread": "off",
    "typescript/no-generated-empty-object-type": "off",
    "unicorn/prefer-add-event-listener": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
    "import/no-unassigned-import": "off",
    "promise/always-return": "off",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "no-shadow": "off",
    "max-lines": ["error", { max: 350, skipBlankLines: true, skipComments: true }],
    complexity: ["error", { max: 15 }],
    "max-depth": ["error", { max: 4 }],
    "max-params": ["error", { max: 5 }],
    eqeqeq: "error",
  },
  overrides: [
    ...floorRules,
    {
      files: ["test/**", "bench/**", "*.config.ts", "scripts/**"],
      rules: {
        "max-lines": ["error", { max: 600, skipBlankLines: true, skipComments: true }],
        "typescript/unbound-method": "off",
        "import/no-default-export": "off",
      },
    },
  ],
});

export default config;
