import { messageOf, oneLine, StalewatchError } from "../base/index.ts";
import { readRecording } from "./read-recording.ts";
import { Replay, type ReplayAnswer, type ReplayOptions } from "./replay.ts";

export interface Replayed {
  readonly answer: ReplayAnswer;
  /** `BAD_RECORDING`: a line could not be used, and the answer is of those before it. */
  readonly failure: StalewatchError | undefined;
  /** The time of the first line, wall time in milliseconds. */
  readonly beganAt: number;
}

/**
 * Runs the judges over a recording, up to its END, the time that `options` name, or a line that cannot be used. Errors: `BAD_RECORDING`
 * where there is no line that can be used.
 */
export async function replayRecording(path: string, options: ReplayOptions): Promise<Replayed> {
  const replay = new Replay(options);
  let beganAt: number | undefined;
  try {
    for await (const line of readRecording(path)) {
      if (replay.isOver(line)) {
        beganAt ??= line.at;
        break;
      }
      try {
        replay.take(line);
        beganAt ??= line.at;
      } catch (thrown) {
        const where = `${oneLine(path)} line ${line.line}`;
        throw new StalewatchError("BAD_RECORDING", `${where} cannot be used: ${messageOf(thrown)}`, "", {
          cause: thrown,
        });
      }
      if (line.type === "END") break;
    }
  } catch (thrown) {
    if (!(thrown instanceof StalewatchError) || beganAt === undefined) throw thrown;
    return { answer: replay.end(), failure: thrown, beganAt };
  }
  if (beganAt === undefined) throw new StalewatchError("BAD_RECORDING", `${oneLine(path)} is empty`);
  return { answer: replay.end(), failure: undefined, beganAt };
}
