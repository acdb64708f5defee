import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KubeClient } from "../../src/kube/index.ts";
import {
  defineResource,
  fields,
  type Job,
  type KubeObject,
  objectMetaShape,
  type Resource,
  resources,
  type Shape,
  shape,
} from "../../src/resources/index.ts";
import { arbitraryOf, projectionOf } from "./arbitrary-objects.ts";
import { type Arrange, bytesField, encode, intField, unknown, varint } from "./protobuf-writer.ts";
import { type Answer, json, ScriptedTransport } from "./scripted-transport.ts";

type Json = Record<string, unknown>;

/** Through the public surface: a list of one page with this one item. */
async function listed(resource: Resource, answer: Answer): Promise<readonly unknown[]> {
  for await (const page of new KubeClient({ transport: new ScriptedTransport(answer) }).list(resource))
    return page.items;
  throw new Error("there is no page");
}

function protobufList(...items: Buffer[]): Answer {
  const list = Buffer.concat([bytesField(1, bytesField(2, "9")), ...items.map((item) => bytesField(2, item))]);
  return { headers: { "content-type": "application/vnd.kubernetes.protobuf" }, body: [unknown(list)] };
}

function jsonList(...items: unknown[]): Answer {
  return json({ kind: "List", metadata: { resourceVersion: "9" }, items });
}

const kinds: { name: string; resource: Resource }[] = Object.entries(resources).map(([name, resource]) => ({
  name,
  resource,
}));

function objectsOf({ shape: kept }: Resource): fc.Arbitrary<Json> {
  const metadata = arbitraryOf(objectMetaShape).map((fields) => ({ ...fields, name: "a" }));
  return fc
    .tuple(arbitraryOf(kept as Shape<unknown>), metadata)
    .map(([object, named]) => ({ ...object, metadata: named }));
}

describe.each(kinds)("$name", ({ resource }) => {
  const kept = resource.shape as Shape<unknown>;

  it("reads as the shape says from both wires", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(objectsOf(resource), { minLength: 1, maxLength: 5 }), async (objects) => {
        const expected = objects.map((object) => projectionOf(kept, object));
        expect(await listed(resource, jsonList(...objects))).toEqual(expected);
        expect(await listed(resource, protobufList(...objects.map((object) => encode(kept, object))))).toEqual(
          expected,
        );
      }),
      { numRuns: 60 },
    );
  });

  it("reads the same whatever the order of fields and among unknown ones", async () => {
    const shuffled = fc.tuple(objectsOf(resource), fc.infiniteStream(fc.nat()));
    await fc.assert(
      fc.asyncProperty(shuffled, async ([object, numbers]) => {
        const item = encode(kept, object, shuffling(numbers));
        // A shuffled map or list is another one where its order counts: compare what does not depend on it.
        const [read] = await listed(resource, protobufList(item));
        expect(sorted(read)).toEqual(sorted(projectionOf(kept, object)));
      }),
      { numRuns: 60 },
    );
  });
});

/** Any order, with fields between that no shape knows, of each wire type. */
function shuffling(numbers: Iterator<number>): Arrange {
  const next = (): number => numbers.next().value as number;
  const strange = [
    bytesField(900, Buffer.alloc(40, 0xff)),
    intField(901, -1),
    Buffer.concat([varint(902 * 8 + 1), Buffer.alloc(8, 0xff)]),
    Buffer.concat([varint(903 * 8 + 5), Buffer.alloc(4, 0xff)]),
  ];
  return (parts) =>
    [...parts, ...strange.filter(() => next() % 2 === 0)]
      .map((part) => ({ part, order: next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ part }) => part);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, sorted(inner)]));
}

describe("labels", () => {
  it("read right however many sets of keys there are, and keys that objects have of their own", async () => {
    const objects = Array.from({ length: 1_500 }, (_, at) => ({
      metadata: {
        name: `job-${at}`,
        labels: Object.fromEntries([
          ["__proto__", "x"],
          [`key-${at}`, "a"],
          ["toString", "b"],
        ]),
      },
    }));
    const jobs = resources.jobs.shape as Shape<unknown>;
    const expected = objects.map((object) => ({ ...object, spec: {}, status: {} }));
    expect(await listed(resources.jobs, jsonList(...objects))).toEqual(expected);
    expect(await listed(resources.jobs, protobufList(...objects.map((object) => encode(jobs, object))))).toEqual(
      expected,
    );
  });

  it("that repeat the object's own name and uid, or nearly, are read as they stand", async () => {
    // So many that the reader has found that names and uids are not worth looking for.
    const objects = Array.from({ length: 2_000 }, (_, index) => ({
      metadata: {
        name: `job-${index}`,
        uid: `uid-${index}`,
        labels: { "job-name": `job-${index}`, "controller-uid": `uid-${index}`, next: `job-${index + 1}`, app: "x" },
      },
    }));
    const expected = objects.map((object) => projectionOf(resources.jobs.shape as Shape<unknown>, object));
    const encoded = objects.map((object) => encode(resources.jobs.shape as Shape<unknown>, object));
    expect(await listed(resources.jobs, protobufList(...encoded))).toEqual(expected);
  });
});

describe("shapes", () => {
  interface Run extends KubeObject {
    spec: { replicas?: number; mode?: string };
    extra?: { note?: string };
  }
  const runs = defineResource<Run>({
    group: "demo.test",
    version: "v1",
    kind: "Run",
    resource: "runs",
    shape: shape<Run>({
      metadata: fields.metadata(),
      spec: fields.required(shape<Run["spec"]>({ replicas: fields.optionalInt(), mode: fields.string() })),
      extra: fields.optional(shape<{ note?: string }>({ note: fields.string() })),
    }),
  });

  it("serve kinds of the user's own, over JSON", async () => {
    const object = { metadata: { name: "a" }, spec: { replicas: 0, mode: "", more: 1 }, extra: {}, status: {} };
    expect(await listed(runs, jsonList(object, { metadata: { name: "b" } }))).toEqual([
      { metadata: { name: "a" }, spec: { replicas: 0 }, extra: {} },
      { metadata: { name: "b" }, spec: {} },
    ]);
  });

  it("may be left out: everything but managedFields, selfLink and what the resource says itself is kept", async () => {
    const whole = defineResource({ group: "demo.test", version: "v1", kind: "Run", resource: "runs" });
    const kept = { labels: {}, annotations: { a: "b" } };
    const object = {
      apiVersion: "demo.test/v1",
      kind: "Run",
      metadata: { name: "a", ...kept, managedFields: [{}], selfLink: "/x" },
      spec: { any: [{ thing: null }] },
    };
    expect(await listed(whole, jsonList(object))).toEqual([
      { metadata: { name: "a", ...kept }, spec: { any: [{ thing: null }] } },
    ]);
  });

  it("may be as little as a list of paths", async () => {
    const keep = ["spec.approved", "spec.missing.deeper", "status", "status.phase", "metadata.labels"];
    const some = defineResource({ group: "demo.test", version: "v1", kind: "Run", resource: "runs", keep });
    const metadata = { name: "a", labels: { app: "x" } };
    const spec = { approved: false, missing: 3, template: {} };
    const status = { phase: "Ready", conditions: [] };
    expect(await listed(some, jsonList({ metadata, spec, status }, { metadata }))).toEqual([
      { metadata, spec: { approved: false }, status },
      { metadata },
    ]);
  });

  it("give the same object for equal parts of different objects, on both wires", async () => {
    const owner = { kind: "CronJob", name: "c", uid: "u", apiVersion: "batch/v1" };
    const objects = ["a", "b"].map((name) => ({
      metadata: { name, ownerReferences: [owner] },
      spec: { parallelism: 3 },
    }));
    const encoded = objects.map((object) => encode(resources.jobs.shape as Shape<unknown>, object));
    for (const answer of [jsonList(...objects), protobufList(...encoded)]) {
      const [a, b] = (await listed(resources.jobs, answer)) as Job[];
      expect(a).not.toEqual(b);
      expect(a?.spec).toBe(b?.spec);
      expect(a?.metadata.ownerReferences).toBe(b?.metadata.ownerReferences);
    }
  });
});
