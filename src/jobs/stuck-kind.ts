import type { DeepReadonly, KubeObject } from "../resources/index.ts";
import type { AgeLimits, Symptom } from "./finding.ts";
import type { World } from "./world.ts";

/** What a stuck kind says of itself: its page in docs/stuck-jobs.md, and `stalewatch explain`. */
export interface KindPage {
  /** `S13`; one is never given out again. */
  readonly id: string;
  /** Kebab case, what people say: `image-cannot-be-pulled`. */
  readonly name: string;
  /** The signal in the API, one line. */
  readonly sees: string;
  /** What looks the same and is healthy, and how it is told apart, one line. */
  readonly lookAlike: string;
  /** What is behind it and why it does not go on by itself: two or three sentences. */
  readonly means: string;
  /** What to do, in the order of trying; a sentence each. */
  readonly remedy: readonly string[];
  /** Default ages; ours unless `source` says otherwise. */
  readonly limits: AgeLimits;
  /** Public reports and rules that the kind rests on. */
  readonly source: readonly string[];
  /** The closed set that `Symptom.reason` comes from. */
  readonly reasons: readonly string[];
}

/** One way in which an object of type T is stuck. Declared in a file of its own in kinds/. */
export interface StuckKind<T extends KubeObject> extends KindPage {
  /** Pure: what this kind alone says. One object has one reason only after the decision order. `now` is wall time in milliseconds. */
  look(object: DeepReadonly<T>, world: World, now: number): Symptom | undefined;
  /** When time alone, without any event, could make `look` see something, wall time in milliseconds; undefined: never. */
  startsAt?(object: DeepReadonly<T>, world: World, now: number): number | undefined;
}
