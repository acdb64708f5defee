import { StatusError } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { Codec } from "./codec.ts";
import { jsonCodec, jsonMetadataCodec } from "./json-codec.ts";

const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const METADATA_FORMS = new Set(["PartialObjectMetadata", "PartialObjectMetadataList"]);

interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Clients ask with the same few headers again and again. */
const parsed: Map<string, readonly MediaRange[]> = new Map();

function parseAccept(header: string): readonly MediaRange[] {
  let ranges = parsed.get(header);
  if (ranges) return ranges;
  ranges = header.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    return { type, parameters: Object.fromEntries(parameters.map((parameter) => parameter.split("=", 2))) };
  });
  if (parsed.size < 100) parsed.set(header, ranges);
  return ranges;
}

/** The first form that the client accepts and that there is for this kind. Errors: 406 NotAcceptable. */
export function negotiate(accept: string | undefined, kind: Kind): Codec {
  if (!accept) return jsonCodec;
  for (const range of parseAccept(accept)) {
    const codec = codecFor(range, kind);
    if (codec) return codec;
  }
  const offered = [JSON_TYPE, ...(kind.shape ? [PROTOBUF_TYPE] : [])].join(", ");
  throw new StatusError(406, "NotAcceptable", `only the following media types are accepted: ${offered}`);
}

function codecFor({ type, parameters }: MediaRange, kind: Kind): Codec | undefined {
  const { as, g, v } = parameters;
  const isJson = type === JSON_TYPE || type === "*/*" || type === "application/*";
  if (as === undefined) return isJson ? jsonCodec : undefined;
  if (g !== "meta.k8s.io" || v !== "v1") return undefined;
  if (METADATA_FORMS.has(as)) return isJson ? jsonMetadataCodec : undefined;
  void kind;
  return undefined;
}
