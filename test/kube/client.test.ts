import { describe, expect, it } from "vitest";
import { KubeClient, type WatchEvent } from "../../src/kube/index.ts";
import { type Job, resources } from "../../src/resources/index.ts";
import { json, ScriptedTransport } from "./scripted-transport.ts";

const job = (name: string, more: object = {}): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "7", managedFields: [{}], ...more },
  spec: { suspend: false, template: {} },
});

describe("list", () => {
  it("follows continue and projects each page", async () => {
    const transport = new ScriptedTransport(
      json({ metadata: { resourceVersion: "9", continue: "t" }, items: [job("a"), job("b")] }),
      json({ metadata: { resourceVersion: "9" }, items: [job("c")] }),
    );
    const pages = [];
    for await (const page of new KubeClient({ transport }).list(resources.jobs, { resourceVersion: "0", limit: 2 })) {
      pages.push(page);
    }
    expect(pages.map(({ last, resourceVersion }) => ({ last, resourceVersion }))).toEqual([
      { last: false, resourceVersion: "9" },
      { last: true, resourceVersion: "9" },
    ]);
    expect(pages[0]?.items[0]).toEqual({
      metadata: { name: "a", namespace: "shop", uid: "uid-a", resourceVersion: "7" },
      spec: { suspend: false },
      status: {},
    });
    expect(transport.requests.map((request) => request.path)).toEqual([
      "/apis/batch/v1/jobs?limit=2&resourceVersion=0",
      "/apis/batch/v1/jobs?limit=2&continue=t",
    ]);
  });
});

describe("watch", () => {
  it("yields the events of each chunk together", async () => {
    const lines = [
      { type: "ADDED", object: job("a") },
      { type: "BOOKMARK", object: { metadata: { resourceVersion: "11" } } },
      { type: "DELETED", object: job("a", { resourceVersion: "12" }) },
    ].map((event) => `${JSON.stringify(event)}\n`);
    const all = lines.join("");
    const transport = new ScriptedTransport({ body: [all.slice(0, -5), all.slice(-5)] });
    const batches: (readonly WatchEvent<Job>[])[] = [];
    for await (const batch of new KubeClient({ transport }).watch(resources.jobs, {
      resourceVersion: "7",
      timeoutSeconds: 300,
    })) {
      batches.push(batch);
    }
    expect(batches.map((batch) => batch.map((event) => event.type))).toEqual([["ADDED", "BOOKMARK"], ["DELETED"]]);
    expect(batches[0]?.[1]).toEqual({ type: "BOOKMARK", resourceVersion: "11", initialEventsEnd: false });
  });
});
