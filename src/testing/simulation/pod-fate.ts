import { parseDuration, StalewatchError } from "../../base/index.ts";
import type { Job } from "../../resources/index.ts";

/** What becomes of a pod of a simulated Job. */
export type PodFate =
  | { readonly end: "succeeds" | "fails"; readonly afterMs: number }
  /** It runs until somebody deletes it. */
  | { readonly end: "runs-on" }
  /** Its image does not exist: ErrImagePull and ImagePullBackOff by turns. */
  | { readonly end: "image-pull-fails" }
  /** No node has room for it. */
  | { readonly end: "unschedulable" }
  /** It cannot even be created: the quota is used up. */
  | { readonly end: "over-quota" };

/** On a Job or its pod template: `succeeds 2s`, `fails 500ms`, `runs-on`, `image-pull-fails`, `unschedulable`, `over-quota`. */
export const FATE_ANNOTATION = "simulation.stalewatch/fate";

const WORDS = new Set(["runs-on", "image-pull-fails", "unschedulable", "over-quota"]);

/** The fate that a Job's annotation asks for, if it has one. Errors: `BAD_FATE`. */
export function annotatedFate(job: Job): PodFate | undefined {
  const text = job.metadata.annotations?.[FATE_ANNOTATION];
  if (text === undefined) return undefined;
  const [word = "", after = "2s"] = text.split(" ");
  if (word === "succeeds" || word === "fails") return { end: word, afterMs: parseDuration(after) };
  if (WORDS.has(word)) return { end: word } as PodFate;
  throw new StalewatchError("BAD_FATE", `"${text}" is no fate of a pod`, 'write for example "succeeds 2s"');
}
