import type { ExchangeResponse } from "../base/index.ts";
import { type DeepReadonly, type KubeObject, resourceName } from "../resources/index.ts";
import { isProtobuf } from "./answers.ts";
import type { ListOptions, ListPage, OpaqueObject } from "./api.ts";
import { readJsonPage } from "./json-list.ts";
import { collectionPath, withQuery } from "./paths.ts";
import { readProtobufPage } from "./protobuf-list.ts";
import { acceptFor, type Reading } from "./reading.ts";
import type { Subject } from "./status.ts";

export interface Page<T> {
  readonly items: readonly DeepReadonly<T>[];
  readonly opaque: readonly OpaqueObject[];
  readonly resourceVersion: string;
  /** The token of the next page, "" on the last. */
  readonly next: string;
}

/** client-go's pager asks for as many. */
const PAGE_LIMIT = 500;
const IDLE_TIMEOUT_MS = 60_000;

/** Pages follow `continue` until there is none; a page refused with 410 ends the list with that error. */
export async function* listPages<T extends KubeObject>(
  reading: Reading<T>,
  options: ListOptions,
): AsyncGenerator<ListPage<T>, void, void> {
  let next = "";
  do {
    const page: Page<T> = await listPage(reading, options, next);
    ({ next } = page);
    const { items, opaque, resourceVersion } = page;
    yield { items, opaque, resourceVersion, last: next === "" };
  } while (next !== "");
}

function listPage<T extends KubeObject>(reading: Reading<T>, options: ListOptions, next: string): Promise<Page<T>> {
  const { caller, resource } = reading;
  // The token says at which version the list began; the server refuses both together.
  const from = next
    ? { continue: next }
    : { resourceVersion: options.resourceVersion, resourceVersionMatch: options.resourceVersionMatch };
  const query = {
    limit: options.limit ?? PAGE_LIMIT,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    ...from,
  };
  const subject: Subject = { verb: "list", name: resourceName(resource) };
  const call = {
    method: "GET",
    path: withQuery(collectionPath(resource, options.namespace), query),
    subject,
    accept: acceptFor(resource, false),
    pool: "requests",
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    repeatable: true,
    signal: options.signal,
  } as const;
  return caller.run(call, (response) => readPage(reading, response, subject));
}

function readPage<T extends KubeObject>(
  reading: Reading<T>,
  response: ExchangeResponse,
  subject: Subject,
): Promise<Page<T>> {
  return isProtobuf(response) ? readProtobufPage(reading, response, subject) : readJsonPage(reading, response, subject);
}
