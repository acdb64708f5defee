import { describe, expect, test } from "vitest";
import { EventRecorder } from "../../src/controller/index.ts";
import type { Log } from "../../src/telemetry/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { MemoryWriter } from "./memory-writer.ts";
import { runNamed, runs } from "./objects.ts";
import { RecordingMeter } from "./recording.ts";

const run = { resource: runs, object: runNamed("export") };

function fieldsOf(body: object | undefined): Record<string, unknown> {
  return { ...body };
}

const silent = (): void => {};

class Rig {
  readonly clock: VirtualClock = new VirtualClock();
  readonly meter: RecordingMeter = new RecordingMeter();
  readonly writer: MemoryWriter = new MemoryWriter();
  readonly warnings: unknown[] = [];
  readonly recorder: EventRecorder;

  constructor() {
    const log: Log = {
      debug: silent,
      info: silent,
      warn: (_, fields) => void this.warnings.push(fields),
      error: silent,
    };
    const env = { clock: this.clock, random: () => 0.5, meter: this.meter, log };
    this.recorder = new EventRecorder({ client: this.writer, component: "runner", env });
  }

  readonly count = (result: string): number | undefined =>
    this.meter.value("stalewatch_events_total", { controller: "runner", result });
}

describe("the event recorder", () => {
  test("writes what kubectl describe shows", async () => {
    const { recorder, writer, clock } = new Rig();
    recorder.record(run, "Normal", "Started", "made Job export-1");
    await recorder.flush();
    const [call] = writer.calls;
    expect(call?.key).toMatch(/^shop\/export\.[0-9a-f]+$/);
    const at = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    expect(call?.body).toMatchObject({
      involvedObject: {
        apiVersion: "example.com/v1",
        kind: "Run",
        namespace: "shop",
        name: "export",
        uid: "uid-export",
        resourceVersion: "7",
      },
      type: "Normal",
      reason: "Started",
      message: "made Job export-1",
      count: 1,
      firstTimestamp: at,
      lastTimestamp: at,
      source: { component: "runner" },
    });
  });

  test("counts the same event up, and nothing else into it", async () => {
    const { recorder, writer, clock, count } = new Rig();
    recorder.record(run, "Warning", "Waiting", "no quota");
    await recorder.flush();
    await clock.advance(5_000);
    recorder.record(run, "Warning", "Waiting", "no quota");
    recorder.record(run, "Warning", "Waiting", "no node");
    await recorder.flush();
    expect(writer.calls.map(({ verb, body }) => [verb, fieldsOf(body)["count"]])).toEqual([
      ["create", 1],
      ["patch", 2],
      ["create", 1],
    ]);
    expect(writer.calls[1]?.key).toBe(writer.calls[0]?.key);
    expect(fieldsOf(writer.calls[1]?.body)["lastTimestamp"]).toBe("2026-01-01T00:00:05Z");
    expect([count("created"), count("merged")]).toEqual([2, 1]);
  });

  test("those that come while one is being written are one write", async () => {
    const { recorder, writer } = new Rig();
    writer.hold();
    for (let nth = 0; nth < 10; nth++) recorder.record(run, "Normal", "Tick", "again");
    writer.release();
    await recorder.flush();
    expect(writer.calls.map(({ verb, body }) => [verb, fieldsOf(body)["count"]])).toEqual([
      ["create", 1],
      ["patch", 10],
    ]);
  });

  test("an event that the server has forgotten is told anew", async () => {
    const { recorder, writer } = new Rig();
    recorder.record(run, "Normal", "Tick", "again");
    await recorder.flush();
    writer.fail("NotFound", 404);
    recorder.record(run, "Normal", "Tick", "again");
    await recorder.flush();
    expect(writer.calls.map(({ verb }) => verb)).toEqual(["create", "patch", "create"]);
  });

  test("a failure is logged and counted, and the next event is written", async () => {
    const { recorder, writer, warnings, count } = new Rig();
    writer.fail("Forbidden", 403);
    recorder.record(run, "Normal", "First", "one");
    recorder.record(run, "Normal", "Second", "two");
    await recorder.flush();
    expect(warnings).toEqual([
      { object: "shop/export", reason: "First", error: expect.stringContaining("was refused") as unknown },
    ]);
    expect([count("failed"), count("created")]).toEqual([1, 1]);
  });

  test("an object that floods is held to 25, then one in five minutes; another is not touched", async () => {
    const { recorder, clock, count } = new Rig();
    for (let nth = 0; nth < 30; nth++) recorder.record(run, "Normal", `Reason${nth}`, "different each time");
    recorder.record({ resource: runs, object: runNamed("other") }, "Normal", "Reason", "of another object");
    await recorder.flush();
    expect([count("created"), count("rate_limited")]).toEqual([26, 5]);
    await clock.advance(300_000);
    recorder.record(run, "Normal", "Later", "allowed");
    recorder.record(run, "Normal", "TooSoon", "not allowed");
    await recorder.flush();
    expect([count("created"), count("rate_limited")]).toEqual([27, 6]);
  });

  test("the name fits however long the object's is", async () => {
    const { recorder, writer } = new Rig();
    recorder.record({ resource: runs, object: runNamed("x".repeat(253)) }, "Normal", "Long", "y".repeat(2_000));
    await recorder.flush();
    expect(writer.calls[0]?.key.length).toBeLessThanOrEqual("shop/".length + 253);
    expect(fieldsOf(writer.calls[0]?.body)["message"]).toHaveLength(1_024);
  });

  test("nobody waits for ever: flush ends with its signal", async () => {
    const { recorder, writer } = new Rig();
    writer.hold();
    recorder.record(run, "Normal", "Stuck", "the server does not answer");
    await expect(recorder.flush(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    writer.release();
    await recorder.flush();
  });
});
