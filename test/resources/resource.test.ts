import { describe, expect, it } from "vitest";
import {
  apiVersionOf,
  controllerOf,
  defineResource,
  keyOf,
  metadataOf,
  type OwnerReference,
  refOf,
  resourceName,
  resources,
} from "../../src/resources/index.ts";

describe("a resource", () => {
  it("is named and versioned by its group, or by none in the core group", () => {
    expect(resourceName(resources.jobs)).toBe("jobs.v1.batch");
    expect(apiVersionOf(resources.jobs)).toBe("batch/v1");
    expect(resourceName(resources.pods)).toBe("pods.v1");
    expect(apiVersionOf(resources.pods)).toBe("v1");
  });

  it("of the user's own is namespaced unless it says otherwise, and comes as JSON", () => {
    const kind = { group: "demo.test", version: "v1", kind: "Run", resource: "runs" };
    expect(defineResource(kind)).toEqual({ ...kind, namespaced: true, protobuf: false });
    expect(defineResource({ ...kind, namespaced: false }).namespaced).toBe(false);
  });

  it("can be reduced to its objects' metadata", () => {
    const { shape, ...reduced } = metadataOf(resources.jobs);
    expect(reduced).toMatchObject({ group: "batch", resource: "jobs", protobuf: false, metadataOnly: true });
    expect(shape?.fields.map(({ name }) => name)).toEqual(["metadata"]);
  });
});

describe("keys", () => {
  it.each([
    ["shop/a", { namespace: "shop", name: "a" }],
    ["a", { name: "a" }],
  ])("%s stands for %j", (key, ref) => {
    expect(keyOf(ref)).toBe(key);
    expect(refOf(key)).toEqual(ref);
  });

  it("leave an empty namespace out", () => {
    expect(keyOf({ namespace: "", name: "a" })).toBe("a");
  });
});

function owner(uid: string, controller?: boolean): OwnerReference {
  const reference = { apiVersion: "batch/v1", kind: "CronJob", name: "c", uid };
  return controller === undefined ? reference : { ...reference, controller };
}

describe("controllerOf", () => {
  const metadata = { name: "a", uid: "u", resourceVersion: "1" };

  it("is the owner that says so", () => {
    const object = { metadata: { ...metadata, ownerReferences: [owner("1"), owner("2", false), owner("3", true)] } };
    expect(controllerOf(object)?.uid).toBe("3");
  });

  it("is none where no owner says so, or there is no owner", () => {
    expect(controllerOf({ metadata: { ...metadata, ownerReferences: [owner("1")] } })).toBeUndefined();
    expect(controllerOf({ metadata })).toBeUndefined();
  });
});

describe("built-in shapes", () => {
  it.each(Object.entries(resources))("%s numbers each field once", (_name, { shape }) => {
    const numbers = shape?.fields.map(({ number }) => number) ?? [];
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.min(...numbers)).toBeGreaterThan(0);
  });

  it("never keep what is large or nobody's business", () => {
    const text = JSON.stringify(Object.values(resources).map(({ shape }) => shape));
    for (const name of ["managedFields", "template", "jobTemplate", "env", "command", "args", "volumes"]) {
      expect(text).not.toContain(`"name":"${name}"`);
    }
  });
});
