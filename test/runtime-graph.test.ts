import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = new URL("..", import.meta.url);

/** Imports a module in a process of its own and gives the URL of every module that was loaded for it. */
async function graphOf(specifier: string): Promise<string[]> {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=stalewatch-source", "--input-type=module", "--eval", script],
    { cwd: root },
  );
  return JSON.parse(stdout) as string[];
}

const heavy =
  /node_modules\/(express|prom-client|@prometheus-io|@opentelemetry\/sdk|commander|@kubernetes\/client-node)/;

test("the runtime loads no web server, metrics library, tracing SDK, command line or Kubernetes client", async () => {
  const loaded = await graphOf("stalewatch");
  expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  expect(loaded).toContain(new URL("src/controller/manager.ts", root).href);
});

test("the same look finds one where it is loaded", async () => {
  const loaded = await graphOf("commander");
  expect(loaded.some((url) => heavy.test(url))).toBe(true);
});
