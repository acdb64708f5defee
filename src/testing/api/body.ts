import { messageOf } from "../../base/index.ts";
import type { Shape } from "../../resources/index.ts";
import { badRequest, unsupportedMediaType } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import { readProtobuf, UnknownFieldError } from "../wire/protobuf-reader.ts";
import type { ServerRequest } from "./exchange.ts";

type Fields = Record<string, unknown>;

/**
 * The request's body from JSON, or from protobuf as far as `shape` goes; undefined when there is none.
 * Errors: 400 for what cannot be read, 415 for protobuf that holds more than the shape.
 */
export function readBody(
  request: ServerRequest,
  shape: Shape<unknown> | undefined,
  why: (problem: string) => string,
): unknown {
  const { body } = request;
  if (body === undefined || body.length === 0) return undefined;
  try {
    const bytes = Buffer.from(body);
    if (mediaTypeOf(request) !== PROTOBUF) return JSON.parse(bytes.toString());
    if (shape) return readProtobuf(bytes, shape);
  } catch (error) {
    if (!(error instanceof UnknownFieldError)) throw badRequest(why(messageOf(error)));
  }
  throw unsupportedMediaType(OFFERED);
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const OFFERED = "the body of the request was in an unknown format - accepted media types include: application/json";
const OBJECT_TYPES = new Set(["", "application/json", PROTOBUF]);

/** The object of a create or update, without `apiVersion` and `kind`, which must fit. Errors: 400, 415. */
export function readObject(request: ServerRequest, kind: Kind): Fields {
  if (!OBJECT_TYPES.has(mediaTypeOf(request))) throw unsupportedMediaType(OFFERED);
  const unrecognized = (problem: string): string =>
    `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: ${problem}`;
  const body = readBody(request, kind.shape, unrecognized) ?? {};
  if (!isMap(body)) throw badRequest(unrecognized("json: cannot unmarshal into an object"));
  const { apiVersion = kind.apiVersion, kind: name = kind.kind, ...object } = withoutNulls(body);
  if (apiVersion !== kind.apiVersion || name !== kind.kind) {
    const [found, version] = [JSON.stringify(name), String(apiVersion)];
    throw badRequest(
      `${found} in version "${version.split("/").at(-1)}" cannot be handled as a ${kind.kind}: ` +
        `no kind ${found} is registered for version "${version}"`,
    );
  }
  checkMetadata(object);
  return object;
}

const MAPS = ["labels", "annotations"];
/** Lists, and what their items must be. */
const LISTS: Readonly<Record<string, (item: unknown) => boolean>> = {
  finalizers: (item) => typeof item === "string",
  ownerReferences: isMap,
};
const TEXTS = ["name", "namespace", "generateName", "uid", "resourceVersion"];

/** Errors: 400 where metadata is not what its Go type could be read from. */
export function checkMetadata(object: Fields): void {
  const metadata = object["metadata"] ?? {};
  if (!isMap(metadata)) throw wrongType("metadata");
  for (const field of MAPS) {
    const map = metadata[field] ?? {};
    if (!isMap(map) || Object.values(map).some((value) => typeof value !== "string")) throw wrongType(field);
  }
  for (const [field, fits] of Object.entries(LISTS)) {
    const list = metadata[field] ?? [];
    if (!Array.isArray(list) || !list.every(fits)) throw wrongType(field);
  }
  for (const field of TEXTS) if (typeof (metadata[field] ?? "") !== "string") throw wrongType(field);
}

function wrongType(field: string): Error {
  return badRequest(`json: cannot unmarshal the value of ${field} into its Go type`);
}

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function mediaTypeOf(request: ServerRequest): string {
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim() ?? "";
}

/** In a typed object null is the same as absent. */
function withoutNulls(value: Fields): Fields {
  for (const [key, field] of Object.entries(value)) {
    if (field === null) delete value[key];
    else if (Array.isArray(field)) for (const item of field) withoutNullsAnywhere(item);
    else withoutNullsAnywhere(field);
  }
  return value;
}

function withoutNullsAnywhere(value: unknown): void {
  if (isMap(value)) withoutNulls(value);
}
