import type { ApiStatus } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { ChangeType, StoredObject } from "../storage/stored-object.ts";
import { type Codec, INITIAL_EVENTS_END, ITEMS_A_PIECE, type ListMeta } from "./codec.ts";

const encoder = new TextEncoder();

/** How an object is shown: whole, or only its metadata. */
interface Form {
  kindOf(kind: Kind): { kind: string; apiVersion: string };
  listKindOf(kind: Kind): { kind: string; apiVersion: string };
  /** Typed lists do not repeat the kind at each item; untyped and metadata lists do. */
  namesItems(kind: Kind): boolean;
  /** What stands for no items: Go writes an empty slice or a nil one. */
  readonly noItems: "[]" | "null";
  project(object: StoredObject): object;
}

const wholeForm: Form = {
  kindOf: ({ kind, apiVersion }) => ({ kind, apiVersion }),
  listKindOf: ({ kind, apiVersion }) => ({ kind: `${kind}List`, apiVersion }),
  namesItems: (kind) => kind.custom,
  noItems: "[]",
  project: (object) => object,
};

const metadataForm: Form = {
  kindOf: () => ({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" }),
  listKindOf: () => ({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" }),
  namesItems: () => true,
  noItems: "null",
  project: ({ metadata }) => ({ metadata }),
};

/** JSON as the API server writes it; watch events are one a line. */
class JsonCodec implements Codec {
  readonly contentType = "application/json";
  readonly streamContentType = "application/json";
  readonly #form: Form;
  /** Several watches get the same event one after the other: it is written once. */
  #last: { type: ChangeType; object: StoredObject; bytes: Uint8Array } | undefined;

  constructor(form: Form) {
    this.#form = form;
  }

  object(kind: Kind, object: StoredObject): Uint8Array {
    return encoder.encode(this.#text(kind, object));
  }

  *list(kind: Kind, meta: ListMeta, items: readonly StoredObject[]): Iterable<Uint8Array> {
    const head = named(this.#form.listKindOf(kind), JSON.stringify({ metadata: meta }));
    let text = `${head.slice(0, -1)},"items":`;
    if (items.length === 0) {
      yield encoder.encode(`${text}${this.#form.noItems}}`);
      return;
    }
    for (let from = 0; from < items.length; from += ITEMS_A_PIECE) {
      const piece = items.slice(from, from + ITEMS_A_PIECE).map((item) => this.#itemText(kind, item));
      text += (from === 0 ? "[" : ",") + piece.join(",");
      if (from + ITEMS_A_PIECE < items.length) {
        yield encoder.encode(text);
        text = "";
      }
    }
    yield encoder.encode(`${text}]}`);
  }

  event(kind: Kind, type: ChangeType, object: StoredObject): Uint8Array {
    if (this.#last?.object === object && this.#last.type === type) return this.#last.bytes;
    const bytes = encoder.encode(`{"type":"${type}","object":${this.#text(kind, object)}}\n`);
    this.#last = { type, object, bytes };
    return bytes;
  }

  bookmark(kind: Kind, resourceVersion: string, initialEventsEnd: boolean): Uint8Array {
    const annotations = initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: "true" } } : {};
    const object = { ...this.#form.kindOf(kind), metadata: { resourceVersion, ...annotations } };
    return encoder.encode(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }

  errorEvent(status: ApiStatus): Uint8Array {
    return encoder.encode(`{"type":"ERROR","object":${statusText(status)}}\n`);
  }

  status(status: ApiStatus): Uint8Array {
    return encoder.encode(`${statusText(status)}\n`);
  }

  #text(kind: Kind, object: StoredObject): string {
    return named(this.#form.kindOf(kind), JSON.stringify(this.#form.project(object)));
  }

  #itemText(kind: Kind, object: StoredObject): string {
    return this.#form.namesItems(kind) ? this.#text(kind, object) : JSON.stringify(object);
  }
}

/** Puts `kind` and `apiVersion` in front of an object's own fields without copying it. */
function named(names: { kind: string; apiVersion: string }, text: string): string {
  const head = `{"kind":${JSON.stringify(names.kind)},"apiVersion":${JSON.stringify(names.apiVersion)}`;
  return text === "{}" ? `${head}}` : `${head},${text.slice(1)}`;
}

function statusText(status: ApiStatus): string {
  return named({ kind: "Status", apiVersion: "v1" }, JSON.stringify(status));
}

export const jsonCodec: Codec = new JsonCodec(wholeForm);
export const jsonMetadataCodec: Codec = new JsonCodec(metadataForm);
