import { type ClusterAccess, pause } from "../harness/index.ts";

/** Wall milliseconds between which something was committed. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Beat {
  readonly version: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

const PATH = "/api/v1/namespaces/default/configmaps";
const PAUSE_MS = 20;

/**
 * When each version of the store was committed, of whatever kind: one object is written again and again, one write after the other.
 * A version between those of two writes was committed after the first was sent and before the second was answered. Versions count all
 * kinds in one order, so these two times are the only thing that is not known.
 */
export class CommitTimes implements AsyncDisposable {
  readonly #access: ClusterAccess;
  readonly #beats: Beat[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(access: ClusterAccess) {
    this.#access = access;
  }

  /** Resolves after the first write. */
  static async start(access: ClusterAccess): Promise<CommitTimes> {
    const times = new CommitTimes(access);
    await times.#write(() => access.raw.post(PATH, { metadata: { name: "beat" } }));
    times.#running = times.#run();
    return times;
  }

  /** When `version` was committed; known only once a later write has been answered. */
  of(version: number): Span {
    let next = 0;
    for (let end = this.#beats.length; next < end;) {
      const middle = (next + end) >>> 1;
      if (this.#beats[middle]!.version < version) next = middle + 1;
      else end = middle;
    }
    const after = this.#beats[next];
    const before = after?.version === version ? after : this.#beats[next - 1];
    return { from: before?.sentAt ?? Number.NEGATIVE_INFINITY, to: after?.answeredAt ?? Number.POSITIVE_INFINITY };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const { raw } = this.#access;
    for (let count = 0; !this.#stopping.signal.aborted; count += 1) {
      await this.#write(() => raw.patch(`${PATH}/beat`, { data: { count: String(count) } }));
      await pause(PAUSE_MS);
    }
  }

  async #write(call: () => Promise<{ metadata: { resourceVersion: string } }>): Promise<void> {
    const sentAt = Date.now();
    const { metadata } = await call();
    // Date.now() is cut to whole milliseconds.
    this.#beats.push({ version: Number(metadata.resourceVersion), sentAt, answeredAt: Date.now() + 1 });
  }
}
