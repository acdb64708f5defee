import { type Clock, formatDuration } from "../../base/index.ts";
import type { ApiStatus } from "../status-error.ts";
import type { Column, Kind } from "../storage/kind.ts";
import type { ChangeType, StoredObject } from "../storage/stored-object.ts";
import type { Codec, ListMeta } from "./codec.ts";
import { jsonCodec } from "./json-codec.ts";

const encoder = new TextEncoder();
const NAMES = { kind: "Table", apiVersion: "meta.k8s.io/v1" };

/** What `kubectl get` prints: rows of cells (https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables). One for each request. */
export class TableCodec implements Codec {
  readonly contentType = "application/json";
  readonly streamContentType = "application/json";
  readonly #clock: Clock;
  /** A watch names its columns once. */
  #columnsSent = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  object(kind: Kind, object: StoredObject): Uint8Array {
    return encoder.encode(JSON.stringify(this.#table(kind, object.metadata, [object])));
  }

  *list(kind: Kind, meta: ListMeta, items: readonly StoredObject[]): Iterable<Uint8Array> {
    yield encoder.encode(JSON.stringify(this.#table(kind, meta, items)));
  }

  event(kind: Kind, type: ChangeType, object: StoredObject): Uint8Array {
    const columns = this.#columnsSent ? { columnDefinitions: null } : {};
    this.#columnsSent = true;
    const table = { ...this.#table(kind, object.metadata, [object]), ...columns };
    return encoder.encode(`${JSON.stringify({ type, object: table })}\n`);
  }

  bookmark(_: Kind, resourceVersion: string): Uint8Array {
    const object = { ...NAMES, metadata: { resourceVersion }, columnDefinitions: null, rows: [] };
    return encoder.encode(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }

  errorEvent(status: ApiStatus): Uint8Array {
    return jsonCodec.errorEvent(status);
  }

  status(status: ApiStatus): Uint8Array {
    return jsonCodec.status(status);
  }

  #table(kind: Kind, meta: ListMeta, items: readonly StoredObject[]): object {
    const { resourceVersion, continue: token, remainingItemCount } = meta;
    const metadata = { resourceVersion, ...(token && { continue: token, remainingItemCount }) };
    const columns = columnsOf(kind);
    const columnDefinitions = columns.map(({ name }) => {
      const format = name === "Name" ? "name" : "";
      return { name, type: "string", format, description: "", priority: 0 };
    });
    const now = this.#clock.now();
    const rows = items.map((object) => ({
      cells: columns.map((column) => column.cell(object, now)),
      object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata },
    }));
    return { ...NAMES, metadata, columnDefinitions, rows };
  }
}

function columnsOf(kind: Kind): readonly Column[] {
  return [{ name: "Name", cell: ({ metadata }) => metadata.name }, ...(kind.rules.columns ?? []), age];
}

const age: Column = {
  name: "Age",
  cell: ({ metadata }, now) => formatDuration(now - Date.parse(metadata.creationTimestamp ?? "")),
};
