import { StalewatchError } from "../base/index.ts";
import { type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { Live } from "./api.ts";

/** Objects as they came from a live read or a write's answer. Copies are not among them: they may lack fields. */
const branded = new WeakSet<KubeObject>();

export function brand<T extends KubeObject>(object: T): Live<T> {
  branded.add(object);
  return object as Live<T>;
}

/** Errors: `NOT_LIVE`. */
export function requireLive(resource: Resource, object: KubeObject): void {
  if (branded.has(object)) return;
  throw new StalewatchError(
    "NOT_LIVE",
    `an object of ${resourceName(resource)} from a cache or a copy cannot be written back, it may lack fields`,
    "patch it, or get it live and change that object in place",
  );
}
