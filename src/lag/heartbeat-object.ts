import type { Clock } from "../base/index.ts";
import {
  type Draft,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type Live,
  type LiveReader,
  type Writer,
} from "../kube/index.ts";
import { HEARTBEAT_MARK, isHeartbeat, type KubeObject } from "../resources/index.ts";
import type { Beat, HeartbeatKind } from "./heartbeat-kinds.ts";

const HOLDER = `${HEARTBEAT_MARK}-holder`;
const MARK = `${HEARTBEAT_MARK}-mark`;
const SILENT_AFTER = `${HEARTBEAT_MARK}-silent-after-seconds`;
/** No holder is waited for longer, whatever it wrote. */
const MOST_SILENCE_MS = 3_600_000;

/** The rights that it takes: get, create, patch and delete on the objects of one name. */
export type HeartbeatClient = Pick<LiveReader & Writer, "get" | "create" | "patch" | "delete">;

/** What became of a beat. */
export type BeatOutcome =
  /** It is in the cluster. Monotonic milliseconds; the version is that of this very write, which was made between the two. */
  | { readonly is: "written"; readonly version: string; readonly sentAt: number; readonly answeredAt: number }
  /** Somebody else's heartbeat is there, and alive for all that is known. */
  | { readonly is: "standby"; readonly holder: string }
  /** An object of the name that is no heartbeat. */
  | { readonly is: "occupied" }
  /** Somebody has deleted or changed it since the last beat. */
  | { readonly is: "disturbed"; readonly how: "deleted" | "changed" }
  /** It could do harm, as it now is. */
  | { readonly is: "harmed"; readonly why: string };

export interface HeartbeatObjectOptions<T extends KubeObject> {
  readonly client: HeartbeatClient;
  readonly kind: HeartbeatKind<T>;
  readonly ref: { readonly namespace: string; readonly name: string };
  /** As `WriteOptions.beforeSend`. */
  readonly beforeSend: () => void;
  readonly clock: Clock;
}

interface Writing {
  readonly signal: AbortSignal;
  readonly beforeSend: () => void;
  /** When the first try was sent: whichever of them did it, it was done after that. */
  readonly sentAt: () => number;
}

/**
 * The one object of a kind that is written for the sake of seeing the write arrive: made, kept and removed here.
 *
 * Promises: touches no object that is not a heartbeat, nor one whose holder may be alive; each write and the removal name the version
 * that they are about, so that nobody else's change is overwritten unseen. Errors: those of the client.
 */
export class HeartbeatObject<T extends KubeObject> {
  readonly #options: HeartbeatObjectOptions<T>;
  /** As it was when we last wrote or read it as ours. */
  #ours: { readonly uid: string; readonly version: string } | undefined;
  /** Somebody else's, since when it has not changed. */
  #theirs: { readonly version: string; readonly since: number } | undefined;

  constructor(options: HeartbeatObjectOptions<T>) {
    this.#options = options;
  }

  async beat(beat: Beat, signal: AbortSignal): Promise<BeatOutcome> {
    const ours = this.#ours;
    const writing = this.#writing(signal);
    try {
      return ours ? await this.#patch(beat, ours.version, writing) : await this.#begin(beat, writing);
    } catch (thrown) {
      if (ours && (isNotFound(thrown) || isConflict(thrown))) return await this.#lookAgain(beat, ours.uid, writing);
      // Somebody was faster; who, the next look shows.
      if (isConflict(thrown) || isAlreadyExists(thrown)) return { is: "disturbed", how: "changed" };
      this.#ours = undefined; // it may have been written all the same
      throw thrown;
    }
  }

  /** Removes it if it is still ours, as it now is. */
  async remove(holder: string, signal: AbortSignal): Promise<void> {
    const { client, kind, ref, beforeSend } = this.#options;
    const found = await this.#read(signal);
    this.#ours = undefined;
    if (!found || !isHeartbeat(found) || holderOf(found) !== holder) return;
    const { uid, resourceVersion } = found.metadata;
    const options = { uid, resourceVersion, propagationPolicy: "Background", beforeSend, signal } as const;
    try {
      await client.delete(kind.resource, ref, options);
    } catch (thrown) {
      if (!isNotFound(thrown) && !isConflict(thrown)) throw thrown; // gone, or somebody else's by now
    }
  }

  async #begin(beat: Beat, writing: Writing): Promise<BeatOutcome> {
    const found = await this.#read(writing.signal);
    if (!found) return this.#create(beat, writing);
    return this.#keptFrom(found, beat) ?? this.#patch(beat, found.metadata.resourceVersion, writing);
  }

  /** Why it is not ours to write to; undefined when it is, also since its holder has been silent for too long. */
  #keptFrom(found: Live<T>, beat: Beat): BeatOutcome | undefined {
    if (!isHeartbeat(found)) return { is: "occupied" };
    const holder = holderOf(found);
    if (holder === beat.holder) return undefined;
    const { resourceVersion: version } = found.metadata;
    const now = this.#options.clock.monotonic();
    if (this.#theirs?.version !== version) this.#theirs = { version, since: now };
    if (now - this.#theirs.since > Math.max(beat.silentAfterMs, silenceOf(found))) return undefined;
    return { is: "standby", holder };
  }

  /** The write was refused because the object is not what it was. */
  async #lookAgain(beat: Beat, uid: string, writing: Writing): Promise<BeatOutcome> {
    this.#ours = undefined;
    const found = await this.#read(writing.signal);
    if (!found || found.metadata.uid !== uid) return { is: "disturbed", how: "deleted" };
    const kept = this.#keptFrom(found, beat);
    if (kept) return kept;
    // A try whose answer was lost, before the one that was refused.
    if (isMarked(found, beat)) return this.#accept(found, beat, writing);
    this.#own(found);
    const why = this.#options.kind.harm(found);
    return why === undefined ? { is: "disturbed", how: "changed" } : { is: "harmed", why };
  }

  #accept(object: Live<T>, beat: Beat, { sentAt }: Writing): BeatOutcome {
    this.#own(object);
    this.#theirs = undefined;
    const why = this.#options.kind.harm(object);
    if (why !== undefined) return { is: "harmed", why };
    // An admission webhook took the beat out: then nothing was written, and the version is that of an older write.
    if (!isMarked(object, beat)) return { is: "disturbed", how: "changed" };
    const answeredAt = this.#options.clock.monotonic();
    return { is: "written", version: object.metadata.resourceVersion, sentAt: sentAt(), answeredAt };
  }

  #own({ metadata: { uid, resourceVersion } }: Live<T>): void {
    this.#ours = { uid, version: resourceVersion };
  }

  #writing(signal: AbortSignal): Writing {
    const { clock, beforeSend } = this.#options;
    const calledAt = clock.monotonic();
    let sentAt: number | undefined;
    return {
      signal,
      beforeSend: () => {
        beforeSend();
        sentAt ??= clock.monotonic();
      },
      sentAt: () => sentAt ?? calledAt,
    };
  }

  async #read(signal: AbortSignal): Promise<Live<T> | undefined> {
    const { client, kind, ref } = this.#options;
    try {
      return await client.get(kind.resource, ref, { signal });
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
      return undefined;
    }
  }

  async #create(beat: Beat, writing: Writing): Promise<BeatOutcome> {
    const { client, kind, ref } = this.#options;
    const labels = { [HEARTBEAT_MARK]: "true" };
    const metadata: Draft["metadata"] = { ...ref, labels, annotations: annotationsOf(beat) };
    const spec = { ...kind.fixedSpec, ...kind.beatSpec(beat) };
    return this.#accept(await client.create(kind.resource, { metadata, spec }, writing), beat, writing);
  }

  async #patch(beat: Beat, resourceVersion: string, writing: Writing): Promise<BeatOutcome> {
    const { client, kind, ref } = this.#options;
    const spec = kind.beatSpec(beat);
    const body = { metadata: { annotations: annotationsOf(beat) }, ...(spec ? { spec } : {}) };
    const { signal, beforeSend } = writing;
    const options = { signal, beforeSend, resourceVersion };
    return this.#accept(await client.patch(kind.resource, ref, { type: "merge", body }, options), beat, writing);
  }
}

function annotationsOf({ holder, mark, silentAfterMs }: Beat): Record<string, string> {
  return { [HOLDER]: holder, [MARK]: mark, [SILENT_AFTER]: String(Math.ceil(silentAfterMs / 1_000)) };
}

function isMarked({ metadata }: KubeObject, { mark }: Beat): boolean {
  return metadata.annotations?.[MARK] === mark;
}

function holderOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[HOLDER] ?? "";
}

/** How long its holder said that it may be silent, milliseconds; 0 where it said nothing that can be read. */
function silenceOf({ metadata }: KubeObject): number {
  const seconds = Number(metadata.annotations?.[SILENT_AFTER]);
  return seconds > 0 ? Math.min(seconds * 1_000, MOST_SILENCE_MS) : 0;
}
