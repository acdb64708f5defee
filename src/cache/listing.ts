import type { Clock } from "../base/index.ts";
import { ApiError, type ListerWatcher, type Scope, type WatchEvent } from "../kube/index.ts";
import { type KubeObject, metadataOf, type Resource, resourceName } from "../resources/index.ts";
import type { Contents } from "./contents.ts";
import type { Intake } from "./intake.ts";
import { SilenceGuard } from "./silence-guard.ts";

/** An initial stream that says nothing for this long is given up: a proxy in between may have dropped its end mark. */
const LONGEST_SILENCE_MS = 10_000;

export interface ListSource<T extends KubeObject> {
  readonly client: ListerWatcher;
  readonly resource: Resource<T>;
  readonly scope: Scope;
  readonly intake: Intake<T>;
  readonly clock: Clock;
}

/** Reads all pages of a consistent list into `contents`. Returns the list's version. */
export async function listPages<T extends KubeObject>(
  source: ListSource<T>,
  contents: Contents<T>,
  signal: AbortSignal,
): Promise<string> {
  let version = "";
  for await (const page of source.client.list(source.resource, { ...source.scope, signal })) {
    version = page.resourceVersion;
    source.intake.page(page, contents);
  }
  return present(version, source.resource);
}

/** Asks a consistent read for nothing but its version; a limit of zero would be no limit, so one object's metadata comes along. */
export async function readVersion<T extends KubeObject>(source: ListSource<T>, signal: AbortSignal): Promise<string> {
  const { client, resource, scope } = source;
  for await (const { resourceVersion } of client.list(metadataOf(resource), { ...scope, limit: 1, signal })) {
    return present(resourceVersion, resource);
  }
  throw failure(resource, "UnreadableAnswer", "list", "the answer has no page");
}

export interface InitialState<T extends KubeObject> {
  readonly version: string;
  /** What came behind the end mark in the same chunk. */
  readonly rest: readonly WatchEvent<T>[];
}

/**
 * Reads the initial events of a WatchList stream into `contents`, up to their end mark; the caller goes on with the stream.
 * `giveUp` is called when the stream falls silent and must end it.
 */
export async function listStream<T extends KubeObject>(
  source: ListSource<T>,
  contents: Contents<T>,
  stream: AsyncIterator<readonly WatchEvent<T>[]>,
  giveUp: (reason: ApiError) => void,
): Promise<InitialState<T>> {
  const guard = new SilenceGuard(source.clock, LONGEST_SILENCE_MS, () => giveUp(stalled(source.resource)));
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) throw endedEarly(source.resource);
      guard.heard();
      const end = next.value.findIndex((event) => event.type === "BOOKMARK" && event.initialEventsEnd);
      const initial = end < 0 ? next.value : next.value.slice(0, end);
      // A list by pages is read as a whole, and so tells an object that cannot be read from a frame that was damaged.
      if (!initial.every((event) => source.intake.collect(event, contents))) throw damaged(source.resource);
      const mark = next.value[end];
      if (mark?.type !== "BOOKMARK") continue;
      return { version: present(mark.resourceVersion, source.resource), rest: next.value.slice(end + 1) };
    }
  } finally {
    guard.stop();
  }
}

function present(version: string, resource: Resource): string {
  if (version) return version;
  throw failure(resource, "UnreadableAnswer", "list", "the list has no resourceVersion, so that it cannot be watched");
}

function damaged(resource: Resource): ApiError {
  return failure(resource, "UnreadableAnswer", "watch", "an initial event does not say which object it is about");
}

function stalled(resource: Resource): ApiError {
  const seconds = LONGEST_SILENCE_MS / 1_000;
  return failure(resource, "Silent", "watch", `the initial events stopped for ${seconds}s without their end mark`);
}

function endedEarly(resource: Resource): ApiError {
  return failure(resource, "Unreachable", "watch", "the stream ended before all initial events were there");
}

function failure(resource: Resource, reason: string, verb: string, what: string): ApiError {
  const name = resourceName(resource);
  return new ApiError({ status: 0, reason, message: `${verb} ${name}: ${what}`, resource: name });
}

/** The initial events stopped without their end mark. */
export function isSilent(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.reason === "Silent";
}
