import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { resolveSettings } from "../../src/cli/settings/resolve.ts";
import { runFlags } from "../../src/cli/settings/run-flags.ts";

const root = join(import.meta.dirname, "../../deploy");

interface Container {
  readonly args: readonly string[];
  readonly readinessProbe?: object;
}

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly { readonly path?: string; readonly patch?: string }[];
  readonly rules?: readonly Readonly<Record<"apiGroups" | "resources" | "verbs", readonly string[]>>[];
  readonly spec?: {
    readonly template: {
      readonly spec: { readonly containers?: readonly Container[]; readonly initContainers?: readonly Container[] };
    };
  };
}

function documentsOf(file: string): Document[] {
  return parseAllDocuments(readFileSync(join(root, file), "utf8")).map((document) => {
    expect(document.errors, file).toEqual([]);
    return document.toJS() as Document;
  });
}

const files = globSync("**/*.yaml", { cwd: root }).toSorted();
const all = files.flatMap((file) => documentsOf(file).map((document) => ({ file, document })));
const rules = all.flatMap(({ file, document }) => (document.rules ?? []).map((rule) => ({ file, rule })));

describe("deploy/", () => {
  it("has every file that it speaks of, and speaks of every file", () => {
    const named = all.flatMap(({ file, document: { resources = [], components = [], patches = [] } }) =>
      [...resources, ...components, ...patches.flatMap(({ path }) => path ?? [])].map((path) =>
        join(dirname(file), path),
      ),
    );
    for (const path of named) expect(existsSync(join(root, path)), path).toBe(true);
    const others = files.filter((file) => !file.endsWith("kustomization.yaml"));
    for (const file of others) expect(named).toContain(file);
  });

  it("asks for no Secret, no wildcard and no way to more rights", () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const { file, rule } of rules) {
      const words = [...rule.apiGroups, ...rule.resources, ...rule.verbs];
      expect(
        words.filter((word) => /^\*|secrets|impersonate|escalate|bind|deletecollection/.test(word)),
        file,
      ).toEqual([]);
    }
  });

  it("writes only what a heartbeat and an election write, in one namespace", () => {
    const writing = rules.filter(({ rule }) => rule.verbs.some((verb) => !["get", "list", "watch"].includes(verb)));
    expect(new Set(writing.map(({ file }) => dirname(file)))).toEqual(
      new Set(["components/heartbeats", "components/leader-election"]),
    );
    for (const { document } of all.filter(({ document: { kind } }) => kind === "ClusterRole")) {
      expect(document.rules?.flatMap(({ verbs }) => verbs)).toSatisfy((verbs: string[]) =>
        verbs.every((verb) => verb === "list" || verb === "watch"),
      );
    }
  });

  it("puts no readinessProbe on the container beside a controller", () => {
    const [deployment] = documentsOf("components/sidecar/container.yaml");
    expect(
      deployment?.spec?.template.spec.initContainers?.map((each) => Object.keys(each).includes("readinessProbe")),
    ).toEqual([false]);
    const [alone] = documentsOf("base/deployment.yaml");
    expect(alone?.spec?.template.spec.containers?.[0]?.readinessProbe).toBeDefined();
  });

  it("gives flags that run takes", async () => {
    const patched = all
      .flatMap(({ document }) => document.patches ?? [])
      .flatMap(({ patch = "" }) => /value: (--.*)/.exec(patch)?.[1] ?? []);
    const written = all.flatMap(({ document }) => {
      const { containers = [], initContainers = [] } = document.spec?.template?.spec ?? {};
      return [...containers, ...initContainers].flatMap(({ args }) => args.slice(1));
    });
    const args = [...patched, ...written];
    expect(args).toContain("--heartbeat-interval=15s");
    const options = Object.fromEntries(
      args.map((arg) => {
        const [name = "", value = "true"] = arg.slice(2).split("=");
        expect(runFlags).toHaveProperty([name]);
        return [name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()), value];
      }),
    );
    await expect(resolveSettings(runFlags, { options, env: {} })).resolves.toBeDefined();
  });
});
