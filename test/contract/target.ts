import type { ExchangeRequest, Transport } from "../../src/base/index.ts";

/** A server that is held to the contract. */
export interface ContractTarget {
  readonly transport: Transport;
  /** A client that may do nothing, and one whose credentials nobody knows. */
  readonly nobody: Transport;
  readonly stranger: Transport;
  /** Serves the custom kind Widget (widgets.contract.test/v1, with a status subresource). */
  readonly widgets: string;
  /** Lets the server get on with its work, and a little time pass. */
  tick(): Promise<void>;
  /** Throws away the history of the store. */
  compact(): Promise<void>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the contract looks into whatever JSON the server sends
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly json: Json;
}

export interface Call {
  body?: unknown;
  /** A media type; JSON unless given. */
  type?: string;
  accept?: string;
  as?: "nobody" | "stranger";
}

const MANY_TICKS = 600;

/** The few lines of HTTP client that the contract needs; it knows nothing of Kubernetes. */
export class Client {
  readonly target: ContractTarget;
  readonly namespace: string;

  constructor(target: ContractTarget, namespace: string) {
    this.target = target;
    this.namespace = namespace;
  }

  /** `/api/v1/namespaces/NS/RESOURCE`, or of a group. */
  path(resource: string, group = ""): string {
    return `/${group === "" ? "api/v1" : `apis/${group}`}/namespaces/${this.namespace}/${resource}`;
  }

  get configMaps(): string {
    return this.path("configmaps");
  }

  get jobs(): string {
    return this.path("jobs", "batch/v1");
  }

  get pods(): string {
    return this.path("pods");
  }

  get events(): string {
    return this.path("events");
  }

  get widgets(): string {
    return this.target.widgets.replace("NAMESPACE", this.namespace);
  }

  async call(method: ExchangeRequest["method"], path: string, options: Call = {}): Promise<Answer> {
    const transport = options.as ? this.target[options.as] : this.target.transport;
    return this.during(exchange(transport, method, path, options));
  }

  get(path: string, accept?: string): Promise<Answer> {
    return this.call("GET", path, accept === undefined ? {} : { accept });
  }

  /** The object that a write is answered with. Throws unless it succeeds. */
  async write(method: "POST" | "PUT" | "PATCH", path: string, body: unknown, type?: string): Promise<Json> {
    const answer = await this.call(method, path, type === undefined ? { body } : { body, type });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer.json;
  }

  create(path: string, body: unknown): Promise<Json> {
    return this.write("POST", path, body);
  }

  patch(path: string, body: unknown, kind: "merge" | "json" | "strategic-merge" = "merge"): Promise<Json> {
    return this.write("PATCH", path, body, `application/${kind}-patch+json`);
  }

  /** The version of a consistent read. */
  async version(path: string): Promise<string> {
    return (await this.get(`${path}?limit=1`)).json.metadata.resourceVersion as string;
  }

  /** A watch that is read in the background. */
  async watch(path: string, accept = "application/json"): Promise<Watch> {
    const aborter = new AbortController();
    const response = await this.during(
      this.target.transport.exchange({
        method: "GET",
        path,
        headers: { accept, "user-agent": "contract" },
        pool: "watches",
        signal: aborter.signal,
      }),
    );
    const watch = new Watch(response.status, response.headers, () => aborter.abort());
    void watch.read(response.body);
    return watch;
  }

  /** Ticks until `probe` gives something. */
  async until<T>(what: string, probe: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
    for (let tick = 0; tick < MANY_TICKS; tick += 1) {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      await this.target.tick();
    }
    throw new Error(`waited in vain: ${what}`);
  }

  /** Ticks while a call is under way: the server may take its time. */
  async during<T>(work: Promise<T>): Promise<T> {
    const under = { way: true };
    const settled = work.finally(() => (under.way = false));
    settled.catch(() => {}); // Reported by the return below.
    for (await Promise.resolve(); under.way;) await this.target.tick();
    return settled;
  }
}

async function exchange(
  transport: Transport,
  method: ExchangeRequest["method"],
  path: string,
  call: Call,
): Promise<Answer> {
  const { body, type = "application/json", accept = "application/json" } = call;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await transport.exchange({
    method,
    path,
    headers: { accept, "user-agent": "contract", ...(body !== undefined && { "content-type": type }) },
    pool: "requests",
    ...(body !== undefined && { body: text }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { status, headers } = response;
  const isJson = headers["content-type"]?.startsWith("application/json") ?? false;
  return { status, headers, bytes, json: isJson ? JSON.parse(bytes.toString()) : undefined };
}

export interface Frame {
  readonly type: string;
  readonly object: Json;
}

export class Watch {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Grow as bytes come in. */
  bytes: Buffer = Buffer.alloc(0);
  state: "open" | "ended" | "broken" = "open";
  readonly stop: () => void;

  constructor(status: number, headers: Readonly<Record<string, string>>, stop: () => void) {
    this.status = status;
    this.headers = headers;
    this.stop = stop;
  }

  async read(body: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of body) this.bytes = Buffer.concat([this.bytes, chunk]);
      this.state = "ended";
    } catch {
      this.state = "broken";
    }
  }

  /** The complete lines that have come, as JSON. */
  get frames(): Frame[] {
    const lines = this.bytes.toString().split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Frame);
  }

  get types(): string[] {
    return this.frames.map(({ type }) => type);
  }

  /** `TYPE name`, for short comparisons. */
  get story(): string[] {
    return this.frames
      .filter(({ type }) => type !== "BOOKMARK")
      .map(({ type, object }) => `${type} ${object.metadata.name as string}`);
  }
}

let counter = 0;

/** A name that nobody used before in this run. */
export function fresh(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** A Job that no controller touches. */
export function idleJob(name: string, spec: object = {}, metadata: object = {}): object {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, ...metadata },
    spec: { managedBy: "contract.test/nobody", template, ...spec },
  };
}

export function configMap(
  name: string,
  more: { labels?: object; data?: object; [field: string]: unknown } = {},
): object {
  const { data = { k: "v" }, ...metadata } = more;
  return { metadata: { name, ...metadata }, data };
}

export function pod(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { containers: [{ name: "main", image: "busybox" }], ...spec } };
}

export function event(name: string, namespace: string): object {
  return {
    metadata: { name },
    involvedObject: { kind: "Job", name: "j", namespace },
    reason: "Contract",
    type: "Normal",
    message: "held to the contract",
  };
}

export function names({ json }: Answer): string[] {
  return (json.items as Json[]).map(({ metadata }) => metadata.name as string);
}

/** Versions are decimal strings of any length. */
export function isAtLeast(version: string, floor: string): boolean {
  return BigInt(version) >= BigInt(floor);
}
