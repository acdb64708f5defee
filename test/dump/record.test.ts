import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../src/testing/index.ts";
import { recordingOf, silence } from "./recorder.ts";

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
});
