#!/usr/bin/env node
import { existsSync } from "node:fs";
import * as module from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (!(major === 24 || major >= 26 || (major === 22 && minor >= 19))) {
  console.error(
    `stalewatch: Node ${process.versions.node} is not supported: use Node 24, for example npx -p node@24 stalewatch`,
  );
  process.exit(2);
}
module.enableCompileCache?.(); // halves the start; does nothing where it cannot write
const source = new URL("../src/cli/main.ts", import.meta.url); // in a checkout; a package has only dist
const { main } = await import(existsSync(source) ? source.href : new URL("../dist/cli/main.js", import.meta.url).href);
process.exitCode = await main(process.argv.slice(2));
