import type { ExchangeResponse } from "../base/index.ts";
import type { KubeObject } from "../resources/index.ts";
import { unreadable } from "./answers.ts";
import { ByteSource } from "./byte-source.ts";
import { FRAME_LIMIT } from "./frames.ts";
import type { Page } from "./list.ts";
import { PageItems } from "./page-items.ts";
import { MAGIC, UNKNOWN_RAW } from "./protobuf-envelope.ts";
import { type Reading } from "./reading.ts";
import type { Subject } from "./status.ts";
import { Turns } from "./turns.ts";
import { Undecodable } from "./undecodable.ts";
import { BYTES, type Span } from "./wire-cursor.ts";

/** A tag and a length, five bytes each at most. */
const HEADER = 10;
/** All lists number these two alike (k8s.io/api, generated.proto). */
const LIST_METADATA = 1;
const LIST_ITEMS = 2;

/** Decodes a page while it arrives: no more than one item of it stands in memory undecoded. */
export async function readProtobufPage<T extends KubeObject>(
  reading: Reading<T>,
  response: ExchangeResponse,
  subject: Subject,
): Promise<Page<T>> {
  const source = new ByteSource(response.body);
  try {
    const end = await findList(source);
    const page = await readList(reading, source, end);
    await source.drain();
    return page;
  } catch (thrown) {
    if (thrown instanceof Undecodable) throw unreadable(subject, `the answer: ${thrown.message}`);
    throw thrown;
  } finally {
    await source.close();
  }
}

/** Moves to the list inside the runtime.Unknown; returns the position at which it ends. */
async function findList(source: ByteSource): Promise<number> {
  if (
    !(await source.fill(MAGIC.length)) ||
    source.cursor.bytes.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0
  ) {
    throw new Undecodable("it is not Kubernetes protobuf");
  }
  source.cursor.at = MAGIC.length;
  for (;;) {
    const { number, size } = await nextField(source);
    if (number === UNKNOWN_RAW) return source.position + size;
    await take(source, size);
  }
}

async function readList<T extends KubeObject>(reading: Reading<T>, source: ByteSource, end: number): Promise<Page<T>> {
  const turns = new Turns();
  const page = new PageItems(reading);
  let list: { resourceVersion?: string; continue?: string } = {};
  while (source.position < end) {
    const { number, size } = source.has(HEADER) ? readHeader(source) : await nextField(source);
    const span = source.has(size) ? cut(source, size) : await take(source, size);
    if (number === LIST_ITEMS) page.add(span);
    else if (number === LIST_METADATA) list = reading.codec.listMeta(span);
    if (turns.over(size)) await turns.next();
  }
  const { items, opaque } = page;
  return { items, opaque, resourceVersion: list.resourceVersion ?? "", next: list.continue ?? "" };
}

interface Header {
  readonly number: number;
  readonly size: number;
}

async function nextField(source: ByteSource): Promise<Header> {
  await source.fill(HEADER);
  return readHeader(source);
}

/** All fields of lists and of their envelope have a length. */
function readHeader({ cursor }: ByteSource): Header {
  const tag = cursor.varint();
  if ((tag & 7) !== BYTES) throw new Undecodable(`field ${tag >>> 3} has wire type ${tag & 7}`);
  const size = cursor.varint();
  return { number: tag >>> 3, size };
}

async function take(source: ByteSource, size: number): Promise<Span> {
  if (size > FRAME_LIMIT) throw new Undecodable(`an object of ${size} bytes is over the limit of ${FRAME_LIMIT}`);
  if (!(await source.fill(size))) throw new Undecodable("it breaks off");
  return cut(source, size);
}

function cut({ cursor }: ByteSource, size: number): Span {
  const start = cursor.at;
  cursor.at += size;
  return { bytes: cursor.bytes, start, end: cursor.at };
}
