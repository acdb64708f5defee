import type { DeepReadonly, KubeObject } from "../resources/index.ts";
import type { StuckKind } from "./stuck-kind.ts";
import type { World } from "./world.ts";

/** One question of an order of decision, and the kinds that are asked when the answer is yes. */
export interface Stage<T extends KubeObject> {
  readonly stage: string;
  holds(object: DeepReadonly<T>, world: World): boolean;
  readonly kinds: readonly StuckKind<T>[];
  /** Later stages do not apply to such an object at all: whatever its pods look like, that is not why it stands still. */
  readonly final: boolean;
}
