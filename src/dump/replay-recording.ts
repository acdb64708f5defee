import { messageOf, oneLine, StalewatchError } from "../base/index.ts";
import { readRecording } from "./read-recording.ts";
import { Replay, type ReplayAnswer, type ReplayOptions } from "./replay.ts";

export interface Replayed {
  readonly answer: ReplayAnswer;
  /** `BAD_RECORDING`: a line could not be used, and the answer is of those before it. */
  readonly failure: StalewatchError | undefined;
}

/** Runs the judges over a recording, up to its END, the time that `options` name, or a line that cannot be used. */
export async function replayRecording(path: string, options: ReplayOptions): Promise<Replayed> {
  const replay = new Replay(options);
  try {
    for await (const line of readRecording(path)) {
      if (replay.isOver(line)) break;
      try {
        replay.take(line);
      } catch (thrown) {
        const where = `${oneLine(path)} line ${line.line}`;
        throw new StalewatchError("BAD_RECORDING", `${where} cannot be used: ${messageOf(thrown)}`, "", {
          cause: thrown,
        });
      }
      if (line.type === "END") break;
    }
  } catch (thrown) {
    if (!(thrown instanceof StalewatchError)) throw thrown;
    return { answer: replay.end(), failure: thrown };
  }
  return { answer: replay.end(), failure: undefined };
}
