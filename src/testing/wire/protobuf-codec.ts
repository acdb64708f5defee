import type { Shape } from "../../resources/index.ts";
import type { ApiStatus } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { ChangeType, StoredObject } from "../storage/stored-object.ts";
import { type Codec, INITIAL_EVENTS_END, ITEMS_A_PIECE, type ListMeta } from "./codec.ts";
import { writeFields } from "./protobuf-fields.ts";
import { ReverseWriter } from "./reverse-writer.ts";
import { listMetaShape, metadataOnlyShape, statusShape } from "./wire-shapes.ts";

/** "k8s" and a zero, before every object. */
const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const EMPTY = new Uint8Array();

interface Form {
  shapeOf(kind: Kind): Shape<unknown>;
  nameOf(kind: Kind, list: boolean): { kind: string; apiVersion: string };
}

const wholeForm: Form = {
  shapeOf: (kind) => kind.shape ?? metadataOnlyShape,
  nameOf: ({ kind, apiVersion }, list) => ({ kind: list ? `${kind}List` : kind, apiVersion }),
};

const metadataForm: Form = {
  shapeOf: () => metadataOnlyShape,
  nameOf: (_, list) => ({ kind: `PartialObjectMetadata${list ? "List" : ""}`, apiVersion: "meta.k8s.io/v1" }),
};

/**
 * The Kubernetes protobuf envelope: `k8s\0`, an Unknown with type and bytes; watch events as WatchEvent behind a four-byte length
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding). Of an object only what its Shape names is sent.
 */
class ProtobufCodec implements Codec {
  readonly contentType = "application/vnd.kubernetes.protobuf";
  readonly streamContentType = "application/vnd.kubernetes.protobuf;stream=watch";
  readonly #form: Form;
  readonly #writer: ReverseWriter = new ReverseWriter();
  #last: { type: ChangeType; object: StoredObject; bytes: Uint8Array } | undefined;

  constructor(form: Form) {
    this.#form = form;
  }

  object(kind: Kind, object: StoredObject): Uint8Array {
    return this.#write(() => this.#object(kind, object));
  }

  /** The length of everything stands at the beginning, so the items are written first, with a breath after each piece. */
  *list(kind: Kind, meta: ListMeta, items: readonly StoredObject[]): Iterable<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < items.length; from += ITEMS_A_PIECE) {
      const piece = items.slice(from, from + ITEMS_A_PIECE);
      pieces.push(this.#write(() => this.#items(kind, piece)));
      if (from + ITEMS_A_PIECE < items.length) yield EMPTY;
    }
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    yield this.#write(() => this.#listHead(kind, meta, size));
    yield* pieces;
    yield this.#write(() => this.#unknownTail());
  }

  event(kind: Kind, type: ChangeType, object: StoredObject): Uint8Array {
    if (this.#last?.object === object && this.#last.type === type) return this.#last.bytes;
    const bytes = this.#frame(type, () => this.#object(kind, object));
    this.#last = { type, object, bytes };
    return bytes;
  }

  bookmark(kind: Kind, resourceVersion: string, initialEventsEnd: boolean): Uint8Array {
    const annotations = initialEventsEnd ? { [INITIAL_EVENTS_END]: "true" } : {};
    const metadata = { resourceVersion, annotations } as unknown as StoredObject["metadata"];
    return this.#frame("BOOKMARK", () => this.#object(kind, { metadata }));
  }

  errorEvent(status: ApiStatus): Uint8Array {
    return this.#frame("ERROR", () => this.#status(status));
  }

  status(status: ApiStatus): Uint8Array {
    return this.#write(() => this.#status(status));
  }

  #write(fill: () => void): Uint8Array {
    this.#writer.reset();
    fill();
    return this.#writer.bytes();
  }

  /** WatchEvent{type, object{raw}} behind its length. */
  #frame(type: string, fill: () => void): Uint8Array {
    const writer = this.#writer;
    const event = this.#write(() => {
      fill();
      writer.close(1, 0);
      writer.close(2, 0);
      writer.string(1, type);
    });
    const frame = new Uint8Array(event.length + 4);
    new DataView(frame.buffer).setUint32(0, event.length);
    frame.set(event, 4);
    return frame;
  }

  #object(kind: Kind, object: StoredObject): void {
    this.#unknown(this.#form.nameOf(kind, false), () => writeFields(this.#writer, this.#form.shapeOf(kind), object));
  }

  #status(status: ApiStatus): void {
    this.#unknown({ kind: "Status", apiVersion: "v1" }, () =>
      writeFields(this.#writer, statusShape, status as unknown as Record<string, unknown>),
    );
  }

  #items(kind: Kind, items: readonly StoredObject[]): void {
    const shape = this.#form.shapeOf(kind);
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const mark = this.#writer.length;
      writeFields(this.#writer, shape, items[index] as StoredObject);
      this.#writer.close(2, mark);
    }
  }

  /** Everything of a list that stands before its items, which are `size` bytes. */
  #listHead(kind: Kind, meta: ListMeta, size: number): void {
    const writer = this.#writer;
    writeFields(writer, listMetaShape, meta as unknown as Record<string, unknown>);
    writer.close(1, 0);
    writer.varint(writer.length + size);
    writer.tag(2, 2);
    this.#typeMeta(this.#form.nameOf(kind, true));
    writer.rawBytes(MAGIC);
  }

  /** Unknown{typeMeta, raw, contentEncoding, contentType}, written from the end. */
  #unknown(name: { kind: string; apiVersion: string }, fill: () => void): void {
    this.#unknownTail();
    const mark = this.#writer.length;
    fill();
    this.#writer.close(2, mark);
    this.#typeMeta(name);
    this.#writer.rawBytes(MAGIC);
  }

  #unknownTail(): void {
    this.#writer.string(4, "");
    this.#writer.string(3, "");
  }

  #typeMeta({ kind, apiVersion }: { kind: string; apiVersion: string }): void {
    const mark = this.#writer.length;
    this.#writer.string(2, kind);
    this.#writer.string(1, apiVersion);
    this.#writer.close(1, mark);
  }
}

export const protobufCodec: Codec = new ProtobufCodec(wholeForm);
export const protobufMetadataCodec: Codec = new ProtobufCodec(metadataForm);
