import { describe, expect, test } from "vitest";
import { addFinalizer, controllerRef, hasFinalizer, removeFinalizer, setOwner } from "../../src/controller/index.ts";
import { MemoryWriter } from "./memory-writer.ts";
import { runNamed, runs } from "./objects.ts";

const owner = runNamed("export");
const reference = {
  apiVersion: "example.com/v1",
  kind: "Run",
  name: "export",
  uid: "uid-export",
  controller: true,
  blockOwnerDeletion: true,
};

describe("owner helpers", () => {
  test("the reference names kind, name and uid", () => {
    expect(controllerRef(owner, runs)).toEqual(reference);
  });

  test("an owned draft lives in its owner's namespace; the draft given stays as it was", () => {
    const draft = { metadata: { name: "child" }, spec: { size: 1 } };
    expect(setOwner(draft, owner, runs)).toEqual({
      metadata: { name: "child", namespace: "shop", ownerReferences: [reference] },
      spec: { size: 1 },
    });
    expect(draft.metadata).toEqual({ name: "child" });
  });

  test("other references stay, the owner's own is not doubled", () => {
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "input", uid: "uid-input" };
    const owned = setOwner({ metadata: { ownerReferences: [other, reference] } }, owner, runs);
    expect(owned.metadata.ownerReferences).toEqual([other, reference]);
  });

  test("a second controller is refused", () => {
    const rival = { ...reference, name: "other", uid: "uid-other" };
    expect(() => setOwner({ metadata: { ownerReferences: [rival] } }, owner, runs)).toThrow(
      /already has Run other as its controller/,
    );
    const guest = { ...rival, controller: false };
    expect(() => setOwner({ metadata: { ownerReferences: [guest] } }, owner, runs)).not.toThrow();
  });

  test("an owner in another namespace is refused", () => {
    expect(() => setOwner({ metadata: { namespace: "other" } }, owner, runs)).toThrow(
      /runs.v1.example.com shop\/export cannot own an object in namespace other/,
    );
    expect(() => setOwner({ metadata: { namespace: "shop" } }, owner, runs)).not.toThrow();
  });
});

describe("finalizer helpers", () => {
  const held = runNamed("export", { finalizers: ["a", "b"] });

  test("say whether it is there", () => {
    expect(hasFinalizer(held, "a")).toBe(true);
    expect(hasFinalizer(owner, "a")).toBe(false);
  });

  test("change the list at the version that was seen", async () => {
    const writer = new MemoryWriter();
    await addFinalizer(writer, runs, held, "c");
    await removeFinalizer(writer, runs, held, "a");
    expect(writer.calls.map(({ key, body, options }) => [key, body, options])).toEqual([
      ["shop/export", { metadata: { finalizers: ["a", "b", "c"] } }, { resourceVersion: "7" }],
      ["shop/export", { metadata: { finalizers: ["b"] } }, { resourceVersion: "7" }],
    ]);
  });

  test("write nothing where nothing is to change", async () => {
    const writer = new MemoryWriter();
    expect(await addFinalizer(writer, runs, held, "a")).toBeUndefined();
    expect(await removeFinalizer(writer, runs, held, "c")).toBeUndefined();
    expect(writer.calls).toEqual([]);
  });
});
