import { describe, expect, it } from "vitest";
import { wireJob } from "./files.ts";
import { after, end, event, type Line, replay } from "./recordings.ts";

const created = wireJob("a", { metadata: { ...wireJob("a").metadata, resourceVersion: "110" } });

function seen(minutes: number, value: number, labels: object = {}): Line {
  const jobs = { name: "kube-controller-manager", group: "batch", version: "v1", resource: "jobs", ...labels };
  const samples = [{ name: "informer_store_resource_version", labels: jobs, value }];
  return { at: after(minutes), sentAt: after(minutes), type: "TARGET", target: "kcm", samples };
}

function listedAt(minutes: number, resourceVersion: string, more: object = {}): Line {
  const object = { apiVersion: "batch/v1", kind: "JobList", metadata: { resourceVersion }, items: [] };
  return { at: after(minutes), sentAt: after(minutes), type: "LISTED", object, ...more };
}

async function cachesOf(...lines: readonly Line[]) {
  const { answer } = await replay([...lines, end(10)]);
  return answer.caches.map(({ target, resource, storeVersion, lag }) => {
    const { state, minMs, maxMs, eventsBehind, why } = lag;
    return { target, resource, storeVersion, state, minMs, maxMs, eventsBehind, why };
  });
}

describe("a replay of a recording with targets", () => {
  it("says how late their caches were, between bounds", async () => {
    const lines = [listedAt(0, "100"), event(1, "ADDED", created), seen(3, 100)];
    expect(await cachesOf(...lines)).toEqual([
      {
        target: "kcm",
        resource: "jobs",
        storeVersion: "100",
        state: "lagging",
        minMs: 120_000,
        maxMs: 180_000,
        eventsBehind: 1,
        why: undefined,
      },
    ]);
    expect(await cachesOf(...lines, listedAt(3.1, "110"), seen(3.1, 110))).toMatchObject([
      { storeVersion: "110", state: "fresh", minMs: 0, maxMs: 0, eventsBehind: 0 },
    ]);
  });

  it("has no upper bound where nobody says when a list was asked for", async () => {
    const { sentAt: _sentAt, ...list } = listedAt(0, "100");
    const lines = [list, event(1, "ADDED", created), seen(3, 100)];
    expect(await cachesOf(...lines)).toMatchObject([{ state: "lagging", minMs: 120_000, maxMs: undefined }]);
  });

  it.each([
    ["before any list", [seen(3, 100)], "the recording has no list of this kind"],
    [
      "of another kind",
      [listedAt(0, "100"), seen(3, 100, { resource: "pods" })],
      "the recording has no list of this kind",
    ],
    [
      "of some namespaces",
      [listedAt(0, "100", { namespace: "shop" }), seen(3, 100)],
      "the recording is of some namespaces only",
    ],
  ])("knows nothing %s", async (_, lines, why) => {
    expect(await cachesOf(...lines)).toMatchObject([{ state: "unknown", minMs: undefined, maxMs: undefined, why }]);
  });
});
