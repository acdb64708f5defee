import { expect, test } from "vitest";
import { resolveController } from "../../src/consistency/index.ts";
import type { KubeObject, OwnerReference } from "../../src/resources/index.ts";
import { runNamed, runs } from "../controller/objects.ts";

const run = runNamed("export", { uid: "uid-1" });
const cache = { resource: runs, lister: { get: (key: unknown) => (key === "shop/export" ? run : undefined) } };
const reference: OwnerReference = {
  apiVersion: "example.com/v2",
  kind: "Run",
  name: "export",
  uid: "uid-1",
  controller: true,
};

function ownedBy(...ownerReferences: OwnerReference[]): KubeObject {
  return { metadata: { name: "job", namespace: "shop", uid: "j", resourceVersion: "1", ownerReferences } };
}

test("the controller of an object is found by name and confirmed by uid, whatever version of its kind the reference names", () => {
  expect(resolveController(ownedBy(reference), cache)).toBe(run);
});

test.each<[string, OwnerReference[]]>([
  ["made again under its name", [{ ...reference, uid: "uid-of-the-first" }]],
  ["not in the cache", [{ ...reference, name: "import" }]],
  ["of another kind", [{ ...reference, kind: "Walk" }]],
  ["of another group", [{ ...reference, apiVersion: "example.org/v1" }]],
  ["of the core group", [{ ...reference, apiVersion: "v1" }]],
  ["an owner that is no controller", [{ ...reference, controller: false }]],
  ["none", []],
])("%s", (_, references) => {
  expect(resolveController(ownedBy(...references), cache)).toBeUndefined();
});

test("an owner of a cluster-scoped kind is looked for without the dependent's namespace", () => {
  const asked: unknown[] = [];
  const lister = { get: (key: unknown) => void asked.push(key) };
  resolveController(ownedBy(reference), { resource: { ...runs, namespaced: false }, lister });
  expect(asked).toEqual(["export"]);
});
