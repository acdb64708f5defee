import type { ExchangeResponse } from "../base/index.ts";
import type { KubeObject } from "../resources/index.ts";
import { parseJson, readBody, unreadable } from "./answers.ts";
import { isRecord } from "./json-reader.ts";
import { elementsOf, memberOf } from "./json-scan.ts";
import { parseSpan, salvageMember, salvageObject } from "./json-text.ts";
import type { Page } from "./list.ts";
import { PageItems } from "./page-items.ts";
import type { Reading } from "./reading.ts";
import type { Subject } from "./status.ts";
import { Turns } from "./turns.ts";
import { Undecodable, whyUndecodable } from "./undecodable.ts";
import type { Span } from "./wire-cursor.ts";

/** JSON.parse is the fastest reader there is, and holds the event loop for about 20 ms over as much. */
const PARSED_WHOLE = 4 * 2 ** 20;

export async function readJsonPage<T extends KubeObject>(
  reading: Reading<T>,
  response: ExchangeResponse,
  subject: Subject,
): Promise<Page<T>> {
  const bytes = await readBody(response.body);
  try {
    const page =
      bytes.length <= PARSED_WHOLE ? parsedPage(parseJson(bytes, response, subject), bytes.length) : scannedPage(bytes);
    return await decode(reading, page);
  } catch (thrown) {
    if (thrown instanceof Undecodable) throw unreadable(subject, `the answer: ${thrown.message}`);
    throw thrown;
  }
}

interface JsonPage {
  readonly metadata: unknown;
  readonly items: Iterable<JsonItem>;
}

interface JsonItem {
  /** Bytes, about. */
  readonly size: number;
  /** Errors: `Undecodable`. */
  parse(): unknown;
  /** What is left of an item that does not read. */
  salvage(): unknown;
}

function parsedPage(raw: unknown, size: number): JsonPage {
  if (!isRecord(raw)) throw new Undecodable("it is no list");
  const items: unknown[] = Array.isArray(raw["items"]) ? raw["items"] : [];
  return { metadata: raw["metadata"], items: parsedItems(items, size / (items.length + 1)) };
}

function* parsedItems(items: readonly unknown[], size: number): Generator<JsonItem, void, void> {
  for (const item of items) yield { size, parse: () => item, salvage: () => item };
}

function scannedPage(bytes: Buffer): JsonPage {
  const whole: Span = { bytes, start: 0, end: bytes.length };
  return { metadata: salvageMember(whole, "metadata"), items: scannedItems(memberOf(whole, "items")) };
}

/** Item by item, for large pages: so that no single step takes long. */
function* scannedItems(list: Span | undefined): Generator<JsonItem, void, void> {
  if (!list) return;
  for (const item of elementsOf(list)) {
    yield { size: item.end - item.start, parse: () => parseSpan(item), salvage: () => salvageObject(item) };
  }
}

async function decode<T extends KubeObject>(reading: Reading<T>, page: JsonPage): Promise<Page<T>> {
  if (!isRecord(page.metadata)) throw new Undecodable("it is no list");
  const list = reading.codec.listMeta({ json: page.metadata });
  const turns = new Turns();
  const read = new PageItems(reading);
  for (const item of page.items) {
    if (turns.over(item.size)) await turns.next();
    addItem(read, item);
  }
  const { items, opaque } = read;
  return { items, opaque, resourceVersion: list.resourceVersion ?? "", next: list.continue ?? "" };
}

function addItem<T extends KubeObject>(page: PageItems<T>, item: JsonItem): void {
  let json: unknown;
  try {
    json = item.parse();
  } catch (thrown) {
    page.addOpaque(whyUndecodable(thrown), { json: item.salvage() });
    return;
  }
  page.add({ json });
}
