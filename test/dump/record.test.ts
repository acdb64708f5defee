import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RecordOptions } from "../../src/dump/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { folderOf } from "./files.ts";
import { type JobsOnly, recordingOf, silence } from "./recorder.ts";

const metadata = { name: "a", namespace: "shop", uid: "uid-of-a", resourceVersion: "10" };
const object = { metadata };

describe("a recording", () => {
  it("holds what could not be read apart, with its metadata and why", async () => {
    const stop = new AbortController();
    const lines = await recordingOf(
      {
        async *list() {
          yield {
            items: [],
            opaque: [
              { object, why: "no number" },
              { object: undefined, why: "no name" },
            ],
            resourceVersion: "10",
            last: true,
          };
        },
        async *watch(signal) {
          yield [{ type: "OPAQUE", change: "MODIFIED", object, why: "no number" }];
          stop.abort();
          yield* silence(signal);
        },
      },
      new VirtualClock(),
      stop.signal,
    );
    const wire = { apiVersion: "batch/v1", kind: "Job", metadata };
    const [list, event] = lines.filter((line) => "unreadable" in line);
    expect(list).toMatchObject({
      type: "LISTED",
      object: { kind: "JobList", items: [] },
      unreadable: [{ object: wire, why: "no number" }, { why: "no name" }],
    });
    expect(event).toMatchObject({ type: "MODIFIED", object: wire, unreadable: "no number" });
  });

  it("has each page of a list, and lines that are whole, however many wait for the file", async () => {
    const warnings: string[] = [];
    const warned = ({ name }: Error): unknown => warnings.push(name);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const stop = new AbortController();
    let watches = 0;
    const namespaces = Array.from({ length: 12 }, (_, at) => `ns-${at}`);
    const lines = await recordingOf(
      {
        async *list() {
          const labels = { long: "x".repeat(40_000) };
          for (const name of ["a", "b"]) {
            yield { items: [{ metadata: { ...metadata, name, labels } }], resourceVersion: "10", last: name === "b" };
          }
        },
        watch(signal) {
          watches += 1;
          if (watches === namespaces.length) stop.abort();
          return silence(signal);
        },
      },
      new VirtualClock(),
      stop.signal,
      { namespaces },
    );
    const lists = lines.flatMap(({ object: list }) => {
      const { kind, items } = (list ?? {}) as { kind?: string; items?: { metadata: { name: string } }[] };
      return kind === "JobList" ? [items?.map((item) => item.metadata.name).join(" ")] : [];
    });
    expect(lists).toEqual(namespaces.map(() => "a b"));
    expect(warnings).toEqual([]);
  });

  it("waits before it opens a watch again that has ended at once", async () => {
    const stop = new AbortController();
    const clock = new VirtualClock();
    const openedAt: number[] = [];
    const jobs: JobsOnly = {
      async *list() {
        yield { items: [], resourceVersion: "10", last: true };
      },
      async *watch() {
        openedAt.push(clock.monotonic());
        if (openedAt.length === 3) stop.abort();
        yield [];
      },
    };
    const written = recordingOf(jobs, clock, stop.signal);
    while (!stop.signal.aborted) await clock.advance(400);
    const [first = 0, second = 0, third = 0] = openedAt;
    expect((await written).filter(({ type }) => type === "WATCH_ENDED").length).toBeGreaterThan(1);
    expect([second - first, third - second]).toEqual([800, 1_600]);
  });

  it("is whole up to where something broke, and lets go of its targets", async () => {
    const path = join(folderOf({}), "r.ndjson.gz");
    let closed = 0;
    const source = { read: () => Promise.resolve({}), close: () => Promise.resolve(void (closed += 1)) };
    const targets = [{ name: "kcm", address: "kcm", source }] as unknown as RecordOptions["targets"];
    const jobs: JobsOnly = {
      async *list() {
        yield { items: [object], resourceVersion: "10", last: true };
      },
      watch: silence,
    };
    const recording = recordingOf(jobs, new VirtualClock(), new AbortController().signal, { path, targets });
    await expect(recording).rejects.toThrow(TypeError);
    expect(closed).toBe(1);
    const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "END" });
  });
});
