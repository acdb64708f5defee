import { messageOf, sleep } from "../base/index.ts";
import { readPage, type Target } from "../lag/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { RecordingFile } from "./recording-file.ts";

export interface RecordTargetOptions {
  readonly target: Target;
  readonly intervalMs: number;
  readonly file: RecordingFile;
  /** Told when it cannot be read, one line. */
  readonly onTrouble: (trouble: string) => void;
  readonly env: Pick<Env, "clock">;
}

/** Writes what is judged of a target's metrics, over and over, until the signal aborts. Errors: those of the file. */
export async function recordTarget(options: RecordTargetOptions, signal: AbortSignal): Promise<void> {
  const { target, intervalMs, file, onTrouble, env } = options;
  try {
    while (!signal.aborted) {
      const sentAt = new Date(env.clock.now()).toISOString();
      const page = await readPage(target, env.clock, signal).catch((thrown: unknown) => {
        if (!signal.aborted) onTrouble(`target ${target.name}: ${messageOf(thrown)}`);
        return undefined;
      });
      if (page) {
        const samples = page.samples.map(({ name, labels, value }) => ({
          name,
          labels: Object.fromEntries(labels),
          value,
        }));
        // JSON has neither NaN nor Infinity.
        await file.write("TARGET", {
          sentAt,
          target: target.name,
          samples: samples.filter(({ value }) => Number.isFinite(value)),
        });
      }
      await sleep(env.clock, intervalMs, signal).catch(() => {}); // aborted: the loop ends
    }
  } finally {
    await target.source.close();
  }
}
