import type { Replica } from "../watching/replica.ts";
import { expired, StatusError } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { Codec } from "../wire/codec.ts";
import type { WatchSetup, WatchStream } from "../watching/watch-stream.ts";
import type { Backend } from "./backend.ts";
import { consistentRevision, reach } from "./list.ts";
import { type ReadOptions, unreadableVersion } from "./read-options.ts";
import type { Selection } from "./selection.ts";

/** How long a watch lasts when the client does not say: half an hour to an hour (kube-apiserver --min-request-timeout). */
const MIN_TIMEOUT_MS = 1_800_000;

interface WatchRequest {
  readonly kind: Kind;
  readonly selection: Selection;
  readonly options: ReadOptions;
  readonly codec: Codec;
}

type WatchServices = Pick<Backend, "store" | "random" | "openWatch">;

/**
 * Opens a watch at the position that the options ask for. Once the request is understood, what goes wrong is told by an ERROR
 * event in the stream, as the real server does.
 */
export async function watch(services: WatchServices, replica: Replica, request: WatchRequest): Promise<WatchStream> {
  const { kind, codec, selection, options } = request;
  const { store, random } = services;
  const { resourceVersion: asked, allowWatchBookmarks: bookmarks, timeoutSeconds } = options;
  const wanted = asked === "" ? 0 : store.scale.revision(asked);
  if (wanted === undefined) throw unreadableVersion(asked);
  const timeoutMs = timeoutSeconds ? timeoutSeconds * 1_000 : MIN_TIMEOUT_MS * (1 + random());
  const setup: WatchSetup = { kind, codec, selection, replica, bookmarks, timeoutMs };
  const fromState =
    asked === "" || asked === "0" ? options.sendInitialEvents !== false : options.sendInitialEvents === true;
  if (fromState) return fromPresentState(services, setup, options, wanted);
  const stream = services.openWatch(setup);
  const start = asked === "" || asked === "0" ? replica.horizon : wanted;
  if (start < store.compacted) {
    stream.refuse(expired(`too old resource version: ${asked} (${store.scale.text(store.compacted)})`).status);
  } else stream.replayFrom(start);
  return stream;
}

async function fromPresentState(
  services: WatchServices,
  setup: WatchSetup,
  { resourceVersion: asked, sendInitialEvents = false }: ReadOptions,
  wanted: number,
): Promise<WatchStream> {
  const { kind, replica, bookmarks } = setup;
  const { store } = services;
  let failure: StatusError | undefined;
  let read = 0;
  if (asked === "") read = await consistentRevision(store, replica, kind);
  else if (asked !== "0") {
    failure = await reach(store, replica, asked, wanted).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof StatusError) return error;
        throw error;
      },
    );
  }
  const stream = services.openWatch(setup);
  if (failure) {
    stream.refuse(failure.status);
    return stream;
  }
  // A consistent read that the replica is too late for is one of the store.
  const revision = Math.max(replica.horizon, read);
  const endMark = sendInitialEvents && bookmarks ? Math.max(replica.knownRevision(kind), wanted, read) : undefined;
  stream.replayState(store.read(kind, revision), revision, endMark);
  return stream;
}
