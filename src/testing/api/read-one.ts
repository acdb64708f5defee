import { keyOf } from "../../resources/index.ts";
import { notFound } from "../status-error.ts";
import { negotiate } from "../wire/media-type.ts";
import type { Backend, Target } from "./backend.ts";
import type { ServerRequest, ServerResponse } from "./exchange.ts";
import { reach } from "./list.ts";
import { unreadableVersion } from "./read-options.ts";

/** A GET of one object: from the store, or with a resourceVersion from the replica's cache. */
export async function readOne(
  backend: Backend,
  request: ServerRequest,
  { kind, path: { namespace, name = "", query } }: Target,
): Promise<ServerResponse> {
  const { store } = backend;
  const codec = negotiate(request.headers["accept"], kind, backend.clock);
  const asked = query.get("resourceVersion") ?? "";
  const wanted = asked === "" ? 0 : store.scale.revision(asked);
  if (wanted === undefined) throw unreadableVersion(asked);
  if (wanted > 0) await reach(store, request.replica, asked, wanted);
  const revision = asked === "" ? store.revision : request.replica.horizon;
  const object = store.get(kind, keyOf({ namespace, name }), revision);
  if (!object) throw notFound(kind, name);
  return { status: 200, headers: { "content-type": codec.contentType }, body: codec.object(kind, object) };
}
