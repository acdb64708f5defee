import type { ExchangeResponse } from "../base/index.ts";
import { type KubeObject, resourceName } from "../resources/index.ts";
import { exchangeError, isProtobuf, requireJson } from "./answers.ts";
import type { WatchEvent, WatchOptions } from "./api.ts";
import { ApiError } from "./errors.ts";
import { EventReader, openJsonFrame } from "./event-reader.ts";
import { LengthFrames, LineFrames } from "./frames.ts";
import { collectionPath, withQuery } from "./paths.ts";
import { openWatchEvent } from "./protobuf-envelope.ts";
import { acceptFor, type Reading } from "./reading.ts";
import type { Subject } from "./status.ts";
import { StreamError } from "./stream-error.ts";

/** Silence that goes on for so long after the server should have ended the stream is a dead connection. */
const IDLE_GRACE_MS = 30_000;

/**
 * Yields together what a chunk of the stream completes, so that a burst costs one turn of whoever reads; the next chunk is asked
 * for only when that is done. See `ListerWatcher.watch`.
 */
export async function* watchEvents<T extends KubeObject>(
  reading: Reading<T>,
  options: WatchOptions,
): AsyncGenerator<readonly WatchEvent<T>[], void, void> {
  const subject: Subject = { verb: "watch", name: resourceName(reading.resource) };
  const response = await openWatch(reading, options, subject);
  options.onOpen?.();
  try {
    yield* readEvents(reading, response, subject);
  } catch (thrown) {
    if (!(thrown instanceof StreamError)) throw exchangeError(thrown, subject, options.signal);
    const message = `${subject.verb} ${subject.name}: ${thrown.message}`;
    throw new ApiError({ status: 0, reason: thrown.reason, message, resource: subject.name });
  }
}

function openWatch<T extends KubeObject>(
  { caller, resource }: Reading<T>,
  options: WatchOptions,
  subject: Subject,
): Promise<ExchangeResponse> {
  const initial = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: options.resourceVersion || undefined,
    timeoutSeconds: options.timeoutSeconds,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    ...(options.sendInitialEvents ? initial : {}),
  };
  return caller.open({
    method: "GET",
    path: withQuery(collectionPath(resource, options.namespace), query),
    subject,
    accept: acceptFor(resource, true),
    pool: "watches",
    idleTimeoutMs: options.idleTimeoutMs ?? options.timeoutSeconds * 1_000 + IDLE_GRACE_MS,
    repeatable: false,
    signal: options.signal,
  });
}

async function* readEvents<T extends KubeObject>(
  reading: Reading<T>,
  response: ExchangeResponse,
  subject: Subject,
): AsyncGenerator<readonly WatchEvent<T>[], void, void> {
  const protobuf = isProtobuf(response);
  if (!protobuf) await requireJson(response, subject);
  const frames = protobuf ? new LengthFrames() : new LineFrames();
  const reader = new EventReader(reading, subject, protobuf ? openWatchEvent : openJsonFrame);
  for await (const chunk of response.body) {
    const events = frames.push(chunk).map((frame) => reader.read(frame));
    if (events.length > 0) yield events;
  }
  if (frames.pending > 0) throw new StreamError("BrokenFrame", "the stream ended inside an event");
}
