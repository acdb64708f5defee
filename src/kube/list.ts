import { setImmediate } from "node:timers/promises";
import type { ExchangeResponse } from "../base/index.ts";
import { type DeepReadonly, type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import { parseJson, readBody, unreadable } from "./answers.ts";
import type { ListOptions, ListPage, OpaqueObject } from "./api.ts";
import type { Caller } from "./caller.ts";
import { type Decoder, metadataOf, whyUndecodable } from "./decoder.ts";
import { isRecord } from "./json-objects.ts";
import type { OpaqueObjects } from "./opaque.ts";
import { collectionPath, withQuery } from "./paths.ts";

/** Everything that reading one kind takes. */
export interface Reading<T extends KubeObject> {
  readonly caller: Caller;
  readonly resource: Resource<T>;
  readonly decoder: Decoder<T>;
  readonly opaque: OpaqueObjects;
}

/** client-go's pager asks for as many. */
const PAGE_LIMIT = 500;
/** Objects decoded between two looks at the event loop: a few milliseconds of work. */
const OBJECTS_PER_TURN = 100;
const IDLE_TIMEOUT_MS = 60_000;

/** Pages follow `continue` until there is none; a page refused with 410 ends the list with that error. */
export async function* listPages<T extends KubeObject>(
  reading: Reading<T>,
  options: ListOptions,
): AsyncGenerator<ListPage<T>, void, void> {
  for (let next: string | undefined = ""; next !== undefined;) {
    const page: Page<T> = await listPage(reading, options, next);
    next = page.next || undefined;
    const { items, opaque, resourceVersion } = page;
    yield { items, opaque, resourceVersion, last: next === undefined };
  }
}

interface Page<T> {
  readonly items: readonly DeepReadonly<T>[];
  readonly opaque: readonly OpaqueObject[];
  readonly resourceVersion: string;
  readonly next: string;
}

function listPage<T extends KubeObject>(reading: Reading<T>, options: ListOptions, next: string): Promise<Page<T>> {
  const { caller, resource } = reading;
  // The version that the list began at is in the token; the server refuses both together.
  const from = next
    ? { continue: next }
    : { resourceVersion: options.resourceVersion, resourceVersionMatch: options.resourceVersionMatch };
  const query = {
    limit: options.limit ?? PAGE_LIMIT,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    ...from,
  };
  const call = {
    method: "GET",
    path: withQuery(collectionPath(resource, options.namespace), query),
    subject: { verb: "list", name: resourceName(resource) },
    accept: "application/json",
    pool: "requests",
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    repeatable: true,
    signal: options.signal,
  } as const;
  return caller.run(call, (response) => readJsonPage(reading, response, call.subject));
}

async function readJsonPage<T extends KubeObject>(
  reading: Reading<T>,
  response: ExchangeResponse,
  subject: { verb: string; name: string },
): Promise<Page<T>> {
  const raw = parseJson(await readBody(response.body), response, subject);
  if (!isRecord(raw) || !isRecord(raw["metadata"])) throw unreadable(subject, "the answer is no list");
  const items: DeepReadonly<T>[] = [];
  const opaque: OpaqueObject[] = [];
  const rawItems = Array.isArray(raw["items"]) ? raw["items"] : [];
  for (const [index, item] of rawItems.entries()) {
    if (index % OBJECTS_PER_TURN === OBJECTS_PER_TURN - 1) await setImmediate();
    try {
      items.push(reading.decoder.fromJson(item));
    } catch (thrown) {
      const unread = { object: metadataOf(item), why: whyUndecodable(thrown) };
      reading.opaque.record(unread.why, unread.object);
      opaque.push(unread);
    }
  }
  return {
    items,
    opaque,
    resourceVersion: textIn(raw["metadata"], "resourceVersion"),
    next: textIn(raw["metadata"], "continue"),
  };
}

function textIn(record: Record<string, unknown>, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}
