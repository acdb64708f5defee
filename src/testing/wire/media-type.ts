import type { Clock } from "../../base/index.ts";
import { StatusError } from "../status-error.ts";
import type { Kind } from "../storage/kind.ts";
import type { Codec } from "./codec.ts";
import { jsonCodec, jsonMetadataCodec } from "./json-codec.ts";
import { protobufCodec, protobufMetadataCodec } from "./protobuf-codec.ts";
import { TableCodec } from "./table-codec.ts";

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
export function negotiate(accept: string | undefined, kind: Kind, clock: Clock): Codec {
  if (!accept) return jsonCodec;
  for (const range of parseAccept(accept)) {
    const codec = codecFor(range, kind, clock);
    if (codec) return codec;
  }
  const offered = [JSON_TYPE, ...(kind.shape ? [PROTOBUF_TYPE] : [])].join(", ");
  throw new StatusError(406, "NotAcceptable", `only the following media types are accepted: ${offered}`);
}

function codecFor({ type, parameters }: MediaRange, kind: Kind, clock: Clock): Codec | undefined {
  const { as, g, v } = parameters;
  const isProtobuf = type === PROTOBUF_TYPE;
  if (!isProtobuf && type !== JSON_TYPE && type !== "application/*" && type !== "*/*") return undefined;
  if (as === undefined) {
    if (isProtobuf) return kind.shape && protobufCodec;
    return jsonCodec;
  }
  if (g !== "meta.k8s.io" || v !== "v1") return undefined;
  if (METADATA_FORMS.has(as)) return isProtobuf ? protobufMetadataCodec : jsonMetadataCodec;
  return as === "Table" && !isProtobuf ? new TableCodec(clock) : undefined;
}
