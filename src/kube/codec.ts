import {
  type DeepReadonly,
  int,
  type KubeObject,
  message,
  messages,
  objectMetaShape,
  type Resource,
  type Shape,
  shape,
  string,
} from "../resources/index.ts";
import { Assembler } from "./assembler.ts";
import { JsonReader, withoutBulk } from "./json-reader.ts";
import { compileShape, type Plan } from "./plan.ts";
import { ProtobufReader } from "./protobuf-reader.ts";
import type { Status, StatusDetails } from "./status.ts";
import { Undecodable } from "./undecodable.ts";
import type { Span } from "./wire-cursor.ts";

const identityShape: Shape<KubeObject> = shape<KubeObject>({ metadata: message(1, objectMetaShape) });

/** Field numbers: k8s.io/apimachinery meta/v1 generated.proto. */
const statusShape: Shape<Status> = shape<Status>({
  message: string(3),
  reason: string(4),
  details: message(
    5,
    shape<StatusDetails>({
      causes: messages(4, shape<{ reason?: string }>({ reason: string(1) })),
      retryAfterSeconds: int(5),
    }),
  ),
  code: int(6),
});

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
}

const listMetaShape: Shape<ListMeta> = shape<ListMeta>({ resourceVersion: string(2), continue: string(3) });

/** An object as it came: parsed JSON, or where its protobuf bytes are. */
export type Raw = { readonly json: unknown } | Span;

/**
 * Reads objects of every kind from both wires, for one client. What it reads shares strings and equal parts with what it read
 * before, whichever list or watch that was.
 */
export class Codec {
  readonly #json: JsonReader;
  readonly #protobuf: ProtobufReader;
  readonly #identity: Plan = compileShape(identityShape);
  readonly #status: Plan = compileShape(statusShape);
  readonly #listMeta: Plan = compileShape(listMetaShape);
  readonly #plans: WeakMap<Resource, Plan> = new WeakMap();

  constructor() {
    const assembler = new Assembler();
    this.#json = new JsonReader(assembler);
    this.#protobuf = new ProtobufReader(assembler);
  }

  /** The projected object. Errors: `Undecodable`, also for one without a name, which has no place in a store. */
  object<T extends KubeObject>(resource: Resource<T>, raw: Raw): DeepReadonly<T> {
    const plan = this.#planOf(resource);
    const object = plan ? this.#read(plan, raw) : withoutBulk("json" in raw ? raw.json : undefined, resource.keep);
    requireIdentity(object);
    return object as unknown as DeepReadonly<T>;
  }

  /** The metadata alone of an object whose rest does not read; undefined when that does not either. */
  identity(raw: Raw): DeepReadonly<KubeObject> | undefined {
    try {
      const object = this.#read(this.#identity, raw);
      requireIdentity(object);
      return object;
    } catch (thrown) {
      if (thrown instanceof Undecodable) return undefined; // Its reader counts the object as opaque in any case.
      throw thrown;
    }
  }

  /** What a bookmark carries. Errors: `Undecodable`. */
  metadata(raw: Raw): Partial<KubeObject["metadata"]> {
    return (this.#read(this.#identity, raw) as Partial<KubeObject>).metadata ?? {};
  }

  /** Of a list. Errors: `Undecodable`. */
  listMeta(raw: Raw): ListMeta {
    return this.#read(this.#listMeta, raw);
  }

  /** An empty one when it does not read: the call has failed in any case. */
  status(raw: Raw): Status {
    try {
      return this.#read(this.#status, raw);
    } catch (thrown) {
      if (thrown instanceof Undecodable) return {};
      throw thrown;
    }
  }

  #planOf(resource: Resource): Plan | undefined {
    const known = this.#plans.get(resource);
    if (known || !resource.shape) return known;
    const plan = compileShape(resource.shape);
    this.#plans.set(resource, plan);
    return plan;
  }

  #read(plan: Plan, raw: Raw): object {
    if ("json" in raw) return this.#json.read(plan, raw.json);
    return this.#protobuf.read(plan, raw.bytes, raw.start, raw.end);
  }
}

function requireIdentity(object: object): asserts object is KubeObject {
  const { metadata } = object as Partial<KubeObject>;
  if (!metadata) throw new Undecodable("it has no metadata");
  if (typeof metadata.name !== "string" || metadata.name === "") throw new Undecodable("its metadata has no name");
}
