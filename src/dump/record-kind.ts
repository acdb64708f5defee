import { Backoff, isAbort, sleep } from "../base/index.ts";
import { isExpired, isForbidden, isNotFound, type ListerWatcher, type Scope, ApiError } from "../kube/index.ts";
import { apiVersionOf, type DeepReadonly, type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { RecordingFile } from "./recording-file.ts";

/** As a reflector's. */
const BACKOFF = { baseMs: 800, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000 };
/** The server ends a watch after this long. */
const WATCH_SECONDS = 300;
/** One that ends sooner has not ended for its time: the next is not opened at once. */
const SHORT_WATCH_MS = 1_000;
/** What may not be read, or is not served, is not tried again before. */
const REFUSED_MS = 10 * 60_000;

export interface RecordKindOptions {
  readonly client: ListerWatcher;
  readonly resource: Resource;
  /** All unless given. */
  readonly namespace: string | undefined;
  readonly file: RecordingFile;
  /** Told of each object that is written. */
  readonly onObject?: (object: DeepReadonly<KubeObject>) => void;
  /** Told of what could not be read, one line. */
  readonly onTrouble: (trouble: string) => void;
  readonly env: Pick<Env, "clock" | "random">;
}

/**
 * Writes one kind's list and what its watch brings, until the signal aborts; the watch goes on where it broke off, or from a new list
 * where it cannot. Objects are written as caches keep them. Errors: those of the file.
 */
export async function recordKind(options: RecordKindOptions, signal: AbortSignal): Promise<void> {
  const { resource, file, env, onTrouble } = options;
  const backoff = new Backoff(BACKOFF, env);
  let position: string | undefined;
  while (!signal.aborted) {
    let pauseMs = 0;
    let reason = "closed";
    try {
      position ??= await recordList(options, signal);
      const openedAt = env.clock.monotonic();
      for await (const at of recordWatch(options, position, signal)) position = at;
      if (env.clock.monotonic() - openedAt < SHORT_WATCH_MS) pauseMs = backoff.next();
    } catch (thrown) {
      if (isAbort(thrown, signal)) return;
      if (!(thrown instanceof ApiError)) throw thrown;
      const { message } = thrown;
      reason = thrown.reason;
      if (isExpired(thrown)) position = undefined;
      // A kind that nobody has installed is no trouble.
      else if (!isNotFound(thrown)) onTrouble(`${resourceName(resource)}: ${message}`);
      pauseMs = isForbidden(thrown) || isNotFound(thrown) ? REFUSED_MS : backoff.next();
    }
    await file.write("WATCH_ENDED", { ...typeOf(resource), reason });
    if (pauseMs > 0) await sleep(env.clock, pauseMs, signal).catch(() => {}); // aborted: the loop ends
  }
}

/** One line, however many pages. Returns the version to watch from. */
async function recordList(
  { client, resource, namespace, file, onObject, env }: RecordKindOptions,
  signal: AbortSignal,
): Promise<string> {
  const { apiVersion, kind } = typeOf(resource);
  const pages: string[] = [];
  const unreadable: object[] = [];
  const sentAt = new Date(env.clock.now()).toISOString();
  let resourceVersion = "";
  for await (const page of client.list(resource, { ...scopeOf(namespace), signal })) {
    // A page at a time: nothing else runs while text is made of them.
    if (page.items.length > 0) pages.push(JSON.stringify(page.items.map((item) => wireOf(resource, item))));
    for (const { object, why } of page.opaque ?? []) {
      unreadable.push({ why, ...(object && { object: wireOf(resource, object) }) });
    }
    if (onObject) page.items.forEach(onObject);
    ({ resourceVersion } = page);
  }
  const list = { apiVersion, kind: `${kind}List`, metadata: { resourceVersion } };
  const fields = { sentAt, ...scopeOf(namespace), ...(unreadable.length > 0 && { unreadable }) };
  await file.writeList({ ...fields, object: list }, pages);
  return resourceVersion;
}

/** Yields where a watch would have to go on. */
async function* recordWatch(
  { client, resource, namespace, file, onObject }: RecordKindOptions,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const wanted = { ...scopeOf(namespace), resourceVersion, timeoutSeconds: WATCH_SECONDS, signal };
  for await (const events of client.watch(resource, wanted)) {
    for (const event of events) {
      if (event.type === "BOOKMARK") {
        const metadata = { resourceVersion: event.resourceVersion };
        await file.write("BOOKMARK", { object: { ...typeOf(resource), metadata } });
        yield event.resourceVersion;
        continue;
      }
      if (event.type !== "OPAQUE") {
        await file.write(event.type, { object: wireOf(resource, event.object) });
      } else if (event.change && event.object) {
        await file.write(event.change, { unreadable: event.why, object: wireOf(resource, event.object) });
      }
      if (event.object) onObject?.(event.object);
      if (event.object) yield event.object.metadata.resourceVersion;
    }
  }
}

function scopeOf(namespace: string | undefined): Scope {
  return namespace === undefined ? {} : { namespace };
}

function typeOf(resource: Resource): { apiVersion: string; kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function wireOf(resource: Resource, object: DeepReadonly<KubeObject>): object {
  return { ...typeOf(resource), ...object };
}
