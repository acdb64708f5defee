import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/index.ts";
import { type DemoOptions, runDemo } from "../../src/demo/index.ts";
import { noopLog } from "../../src/telemetry/index.ts";
import { memoryTerminal } from "../cli/memory-terminal.ts";

const root = join(import.meta.dirname, "../..");
const freePort = "127.0.0.1:0";

async function play(more: Partial<DemoOptions>, watch: (told: string) => void = () => {}): Promise<string> {
  let told = "";
  await runDemo({
    listen: { metrics: freePort, health: freePort, status: freePort },
    version: "1.2.3",
    log: noopLog,
    columns: 100,
    colour: false,
    signal: new AbortController().signal,
    write: (text) => {
      told += text;
      watch(told);
    },
    ...more,
  });
  return told;
}

function kubeconfigIn(told: string): string {
  return /kubectl --kubeconfig (\S+)/.exec(told)?.[1] ?? "";
}

/** Ports, names of temporary folders and times differ from run to run. */
function withoutChance(told: string): string {
  return stripVTControlCharacters(told).replaceAll(/127\.0\.0\.1:\d+|stalewatch-\w+|[\d.]+ s /g, "");
}

describe("the demo", () => {
  it("shows a cache held back, no Job made twice, somebody else's cache late, a stuck Job found and recovered", async () => {
    const stop = new AbortController();
    const told = await play({ signal: stop.signal }, (sofar) => {
      if (sofar.includes("Once more")) stop.abort();
    });
    const story = told.replace(/\s+/g, " ");
    expect(story).toMatch(/metrics http:\/\/127\.0\.0\.1:\d+\/metrics/);
    expect(story).toContain("All three are complete. The sidecar sees 3 Jobs: 3 healthy, 0 stuck.");
    expect(story).toContain("The API server has 6 Jobs, the cache shows 3.");
    const [, skips, waited] =
      /stale_sync_skips_total\{controller="job-runner",resource="jobs"\} went from 0 to (\d+); the passes waited ([\d.]+) s/.exec(
        story,
      ) ?? [];
    expect(Number(skips)).toBeGreaterThanOrEqual(3);
    expect(Number(waited)).toBeGreaterThan(2);
    expect(story).toContain("Jobs for the three TerraformRuns: 1, 1, 1. None was made twice.");
    const [, versions] =
      /versions say (\d+) behind, although it misses nothing\. Stalewatch says fresh: 0 events/.exec(story) ?? [];
    expect(Number(versions)).toBeGreaterThan(50);
    const looks = [...story.matchAll(/(\w+): late by ([\d.]+) to ([\d.]+) s \(in truth by ([\d.]+) s\), (\d) events/g)];
    expect(looks.map(([, , , , , events]) => events)).toEqual(["2", "3", "4"]);
    for (const [, , least, most, truth] of looks) {
      // The times that are told are rounded.
      expect(Number(least)).toBeLessThanOrEqual(Number(truth) + 0.1);
      expect(Number(most)).toBeGreaterThanOrEqual(Number(truth) - 0.1);
    }
    expect(looks.at(-1)?.[1]).toBe("lagging");
    expect(story).toContain("The watch is let go, and the cache catches up: fresh, late by 0.0 to");
    expect(story).toMatch(
      /S13 image-cannot-be-pulled, reason ImagePullBackOff, since \d{4}-\S+Z \(pod status.startTime\), warning/,
    );
    expect(story).toMatch(/stalewatch_stuck_since_timestamp_seconds\{kind="S13",owner_name="thumbnails",…\} \d{10}\./);
    expect(story).toContain("its series are gone from /metrics: 7 of 7 Jobs are healthy.");
    expect(story).toMatch(
      /\d+ passes skipped because a cache was behind, 0 Jobs made twice, somebody else's cache found late by [\d.]+ s or more, 1 stuck Job found, 1 recovered\./,
    );
    const lines = told.split("\n").filter((line) => !line.includes("--kubeconfig")); // as long as the machine's temporary folder
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    expect(told).toBe(stripVTControlCharacters(told));
  });

  it("ends by itself as a process, with exit code 0 and nothing left", async () => {
    const child = spawn(process.execPath, ["bin/stalewatch.js", "demo", "--for", "3s"], { cwd: root, stdio: "pipe" });
    let told = "";
    for await (const chunk of child.stdout) told += String(chunk);
    const [code] = (await (child.exitCode === null ? once(child, "exit") : [child.exitCode])) as [number];
    expect(code).toBe(0);
    expect(told).toContain("Everything has stopped; nothing is left running.");
    expect(kubeconfigIn(told)).toMatch(/kubeconfig$/);
    expect(existsSync(kubeconfigIn(told))).toBe(false);
    for (const url of told.match(/http:\/\/127\.0\.0\.1:\d+\S*/g) ?? []) {
      await expect(fetch(url)).rejects.toThrow("fetch failed");
    }
  });

  it("stops in good order when nobody reads on", async () => {
    const child = spawn(process.execPath, ["bin/stalewatch.js", "demo"], { cwd: root, stdio: "pipe" });
    let told = "";
    let complaints = "";
    child.stderr.on("data", (chunk) => (complaints += String(chunk)));
    child.stdout.on("data", (chunk) => {
      told += String(chunk);
      if (told.includes("All is well")) child.stdout.destroy();
    });
    const [code] = (await once(child, "exit")) as [number];
    expect({ code, complaints }).toEqual({ code: 0, complaints: "" });
    expect(existsSync(kubeconfigIn(told))).toBe(false);
  });

  it("is coloured where there is colour, and says the same", async () => {
    const coloured = await play({ colour: true, forMs: 100 });
    expect(coloured).toContain("\u001b[");
    const plain = await play({ forMs: 100 });
    expect(withoutChance(coloured)).toBe(withoutChance(plain));
  });

  it("does not do without what it tells of", async () => {
    const terminal = memoryTerminal();
    expect(await main(["demo", "--for", "3s", "--metrics-bind-address", "0"], { terminal })).toBe(2);
    expect(terminal.stderr()).toBe(
      "stalewatch: the demo tells what /metrics and /api/v1 serve: leave their listeners on\n",
    );
  });
});
