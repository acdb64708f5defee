import type { ExchangeResponse } from "../base/index.ts";
import { type KubeObject, resourceName } from "../resources/index.ts";
import { exchangeError, unreadable } from "./answers.ts";
import type { WatchEvent, WatchOptions } from "./api.ts";
import { metadataOf, whyUndecodable } from "./decoder.ts";
import { ApiError } from "./errors.ts";
import { LineFrames } from "./line-frames.ts";
import { isRecord } from "./json-objects.ts";
import type { Reading } from "./list.ts";
import { collectionPath, withQuery } from "./paths.ts";
import { statusError, type Subject } from "./status.ts";

/** Silence for longer than the server's own end of the stream, and this, is a dead connection. */
const IDLE_GRACE_MS = 30_000;

export async function* watchEvents<T extends KubeObject>(
  reading: Reading<T>,
  options: WatchOptions,
): AsyncGenerator<readonly WatchEvent<T>[], void, void> {
  const { caller, resource } = reading;
  const subject: Subject = { verb: "watch", name: resourceName(resource) };
  const initial = options.sendInitialEvents
    ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }
    : undefined;
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: options.resourceVersion || undefined,
    timeoutSeconds: options.timeoutSeconds,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    ...initial,
  };
  const response = await caller.open({
    method: "GET",
    path: withQuery(collectionPath(resource, options.namespace), query),
    subject,
    accept: "application/json",
    pool: "watches",
    idleTimeoutMs: options.idleTimeoutMs ?? options.timeoutSeconds * 1_000 + IDLE_GRACE_MS,
    repeatable: false,
    signal: options.signal,
  });
  yield* readJsonEvents(reading, response, subject, options.signal);
}

async function* readJsonEvents<T extends KubeObject>(
  reading: Reading<T>,
  response: ExchangeResponse,
  subject: Subject,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly WatchEvent<T>[], void, void> {
  const frames = new LineFrames();
  try {
    for await (const chunk of response.body) {
      const events = frames.push(chunk).map((line) => jsonEvent(reading, line, subject));
      if (events.length > 0) yield events;
    }
  } catch (thrown) {
    throw exchangeError(thrown, subject, signal);
  }
  if (frames.pending > 0) {
    throw new ApiError({
      status: 0,
      reason: "BrokenFrame",
      message: `${subject.verb} ${subject.name}: the stream ended inside an event`,
      resource: subject.name,
    });
  }
}

function jsonEvent<T extends KubeObject>(reading: Reading<T>, line: string, subject: Subject): WatchEvent<T> {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return opaque(reading, undefined, undefined, "the event is not JSON");
  }
  if (!isRecord(raw)) return opaque(reading, undefined, undefined, "the event is no JSON object");
  const { type, object } = raw;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      try {
        return { type, object: reading.decoder.fromJson(object) };
      } catch (thrown) {
        return opaque(reading, type, object, whyUndecodable(thrown));
      }
    case "BOOKMARK":
      return bookmark(object, subject);
    case "ERROR":
      throw statusError(isRecord(object) ? object : {}, subject, {});
    default:
      return opaque(reading, undefined, object, `the event's type is ${JSON.stringify(type)}`);
  }
}

function bookmark(object: unknown, subject: Subject): WatchEvent<never> {
  const metadata = isRecord(object) ? object["metadata"] : undefined;
  if (!isRecord(metadata) || typeof metadata["resourceVersion"] !== "string") {
    throw unreadable(subject, "a bookmark has no resourceVersion");
  }
  const { resourceVersion, annotations } = metadata;
  const initialEventsEnd = isRecord(annotations) && annotations["k8s.io/initial-events-end"] === "true";
  return { type: "BOOKMARK", resourceVersion, initialEventsEnd };
}

function opaque<T extends KubeObject>(
  reading: Reading<T>,
  change: "ADDED" | "MODIFIED" | "DELETED" | undefined,
  raw: unknown,
  why: string,
): WatchEvent<T> {
  const object = metadataOf(raw);
  reading.opaque.record(why, object);
  return { type: "OPAQUE", change, object, why };
}
