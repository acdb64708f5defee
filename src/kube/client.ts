import type { ExchangeRequest, Transport } from "../base/index.ts";
import {
  apiVersionOf,
  keyOf,
  type KubeObject,
  type ObjectRef,
  type Resource,
  resourceName,
} from "../resources/index.ts";
import { type Env, resolveEnv } from "../telemetry/index.ts";
import { parseJson, readBody, unreadable } from "./answers.ts";
import type {
  CallOptions,
  DeleteOptions,
  Draft,
  ListOptions,
  ListPage,
  Live,
  LiveReader,
  Patch,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
  Writer,
} from "./api.ts";
import { type Call, Caller } from "./caller.ts";
import { Codec } from "./codec.ts";
import { isRecord } from "./json-reader.ts";
import { listPages } from "./list.ts";
import { deleteBody, isGone, patchRequest } from "./write-requests.ts";
import { type Access, accessReview, REVIEW_PATH, reviewVerdict } from "./access-review.ts";
import { brand, requireLive } from "./live.ts";
import { type DiscoveredResource, discoverResources } from "./discovery.ts";
import { opaqueObjectsTotal } from "./metrics.ts";
import { OpaqueObjects } from "./opaque.ts";
import { collectionPath, objectPath, requireNamespace, withQuery } from "./paths.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { Reading } from "./reading.ts";
import { watchEvents } from "./watch.ts";

export interface ClientOptions {
  transport: Transport;
  env?: Partial<Env>;
  userAgent?: string;
  /** Calls a second, and how many at once; no limit unless given. */
  qps?: number;
  burst?: number;
  /** Recorded in managedFields by writes that name none; "stalewatch" unless given. */
  fieldManager?: string;
  /** Whose connections carry the reads and writes; watches always have their own. "requests" unless given. */
  pool?: Exclude<ExchangeRequest["pool"], "watches">;
}

export interface ServerVersion {
  readonly gitVersion: string;
  readonly major: string;
  readonly minor: string;
  readonly platform?: string;
}

interface Wanted {
  readonly verb: string;
  readonly method: Call["method"];
  readonly path: string;
  readonly name: string;
  readonly body?: unknown;
}

const IDLE_TIMEOUT_MS = 60_000;

/** The API server for one process. Holds no connections of its own: closing the transport is its owner's task. */
export class KubeClient implements LiveReader, Writer {
  readonly #caller: Caller;
  readonly #codec: Codec = new Codec();
  readonly #env: Env;
  readonly #pool: ExchangeRequest["pool"];
  readonly #fieldManager: string;
  readonly #readings: WeakMap<Resource, Reading<KubeObject>> = new WeakMap();

  constructor(options: ClientOptions) {
    const { transport, userAgent = "stalewatch", qps = 0, burst = 1, fieldManager = "stalewatch" } = options;
    this.#env = resolveEnv(options.env);
    this.#pool = options.pool ?? "requests";
    this.#fieldManager = fieldManager;
    const limiter = new RateLimiter({ qps, burst, clock: this.#env.clock });
    this.#caller = new Caller({ transport, env: this.#env, limiter, userAgent, codec: this.#codec });
  }

  list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): AsyncIterable<ListPage<T>> {
    return listPages(this.#reading(resource), options);
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]> {
    return watchEvents(this.#reading(resource), options);
  }

  async get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: CallOptions): Promise<Live<T>> {
    const path = objectPath(resource, ref);
    return this.#object<T>(this.#draft({ verb: "get", method: "GET", path, name: nameOf(resource, ref) }, options));
  }

  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft, options?: WriteOptions): Promise<Live<T>> {
    const { namespace, name } = draft.metadata;
    requireNamespace(resource, namespace);
    const path = withQuery(collectionPath(resource, namespace), this.#writeQuery(options));
    const subject = name ? nameOf(resource, { name, ...(namespace ? { namespace } : {}) }) : resourceName(resource);
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...draft };
    return this.#object<T>(this.#draft({ verb: "create", method: "POST", path, name: subject, body }, options));
  }

  async update<T extends KubeObject>(
    resource: Resource<T>,
    object: Live<T>,
    options?: WriteOptions & { subresource?: "status" },
  ): Promise<Live<T>> {
    requireLive(resource, object);
    const path = withQuery(objectPath(resource, object.metadata, options?.subresource), this.#writeQuery(options));
    const subject = nameOf(resource, object.metadata);
    return this.#object<T>(this.#draft({ verb: "update", method: "PUT", path, name: subject, body: object }, options));
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: PatchOptions,
  ): Promise<Live<T>> {
    const path = withQuery(objectPath(resource, ref, options?.subresource), this.#writeQuery(options));
    const { body, contentType, repeatable } = patchRequest(patch, options?.resourceVersion);
    const draft = this.#draft({ verb: "patch", method: "PATCH", path, name: nameOf(resource, ref), body }, options);
    return this.#object<T>({ ...draft, contentType, repeatable });
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<Live<T> | undefined> {
    const body = deleteBody(options);
    const path = objectPath(resource, ref);
    const draft = this.#draft({ verb: "delete", method: "DELETE", path, name: nameOf(resource, ref), body }, options);
    const answer = await this.#call(draft);
    if (isRecord(answer) && answer["kind"] === "Status") return undefined;
    const object = liveIn<T>(answer, draft);
    return isGone(object) ? undefined : object;
  }

  /** The server's build, as /version gives it (`gitVersion`: "v1.37.2"). */
  async serverVersion(signal?: AbortSignal): Promise<ServerVersion> {
    const answer = await this.#read("/version", signal);
    if (!isRecord(answer) || typeof answer["gitVersion"] !== "string") {
      throw unreadable({ verb: "get", name: "/version" }, "the answer is no version");
    }
    return answer as unknown as ServerVersion;
  }

  /** Every resource of every group and version that the server serves. */
  discover(signal?: AbortSignal): Promise<readonly DiscoveredResource[]> {
    return discoverResources((path) => this.#read(path, signal), this.#env.log);
  }

  /** Whether the server would allow this to us (SelfSubjectAccessReview). */
  async review(access: Access, signal?: AbortSignal): Promise<{ allowed: boolean; reason?: string }> {
    const body = accessReview(access);
    const draft = this.#draft(
      { verb: "create", method: "POST", path: REVIEW_PATH, name: REVIEW_PATH, body },
      { signal },
    );
    return reviewVerdict(await this.#call(draft), draft.subject);
  }

  #read(path: string, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#call(this.#draft({ verb: "get", method: "GET", path, name: path }, { signal }));
  }

  #writeQuery(options: WriteOptions = {}): Record<string, string | undefined> {
    return { fieldManager: options.fieldManager ?? this.#fieldManager, dryRun: options.dryRun ? "All" : undefined };
  }

  #draft(wanted: Wanted, options: Partial<Pick<Call, "signal" | "beforeSend">> = {}): Call {
    const { verb, method, path, name, body } = wanted;
    return {
      method,
      path,
      subject: { verb, name },
      accept: "application/json",
      pool: this.#pool,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      repeatable: method !== "POST",
      signal: options.signal,
      beforeSend: options.beforeSend,
      ...(body === undefined ? {} : { body: JSON.stringify(body), contentType: "application/json" }),
    };
  }

  #call(call: Call): Promise<unknown> {
    return this.#caller.run(call, async (response) => parseJson(await readBody(response.body), response, call.subject));
  }

  async #object<T extends KubeObject>(call: Call): Promise<Live<T>> {
    return liveIn<T>(await this.#call(call), call);
  }

  #reading<T extends KubeObject>(resource: Resource<T>): Reading<T> {
    const known = this.#readings.get(resource);
    if (known) return known as unknown as Reading<T>;
    const { group, version } = resource;
    const counter = this.#env.meter.counter(opaqueObjectsTotal).labels({ group, version, resource: resource.resource });
    const opaque = new OpaqueObjects(resource, counter, this.#env.log);
    const reading: Reading<T> = { caller: this.#caller, codec: this.#codec, resource, opaque };
    this.#readings.set(resource, reading);
    return reading;
  }
}

function liveIn<T extends KubeObject>(answer: unknown, { subject }: Call): Live<T> {
  if (!isRecord(answer) || !isRecord(answer["metadata"])) {
    throw unreadable(subject, "the answer is no object with metadata");
  }
  return brand(answer as unknown as T);
}

function nameOf(resource: Resource, ref: ObjectRef): string {
  return `${resourceName(resource)} ${keyOf(ref)}`;
}
