import { oneLine } from "../base/index.ts";
import type { DeepReadonly, KubeObject } from "../resources/index.ts";

/** On an object: `S13=2026-12-31T00:00:00Z`, several separated by commas. */
const SILENCE = "stalewatch.dev/silence";

const ENTRY = /^(S\d{2}|R)=(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?)$/;

export interface Silence {
  /** Wall time in milliseconds until when somebody does not want to hear of this kind; undefined: they do. */
  readonly untilMs: number | undefined;
  /** What was written there and is no silence, a sentence each. */
  readonly mistakes: readonly string[];
}

/** A date alone is its first second in UTC. What cannot be read silences nothing. */
export function silenceOf({ metadata }: DeepReadonly<KubeObject>, kindId: string, now: number): Silence {
  const mistakes: string[] = [];
  let untilMs: number | undefined;
  for (const entry of metadata.annotations?.[SILENCE]?.split(",") ?? []) {
    const [, kind, until = ""] = ENTRY.exec(entry.trim()) ?? [];
    const at = Date.parse(until);
    if (Number.isNaN(at)) {
      mistakes.push(`annotation ${SILENCE}: "${oneLine(entry.trim())}" is not of the form S13=2026-12-31T00:00:00Z`);
    } else if (kind === kindId && at > now) {
      untilMs = Math.max(at, untilMs ?? 0);
    }
  }
  return { untilMs, mistakes };
}
