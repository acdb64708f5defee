import { type ClusterAccess, RawClient } from "../harness/index.ts";

/** A kind as URLs of the API server name it. */
export interface Kind {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
}

/** All kinds that can be watched, in each of their versions. */
export async function watchableKinds({ raw }: ClusterAccess): Promise<Kind[]> {
  const { groups } = await raw.get<{ groups: { name: string; versions: { version: string }[] }[] }>("/apis");
  const served = groups.flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version })));
  const kinds = await Promise.all(
    [{ group: "", version: "v1" }, ...served].map(async ({ group, version }) => {
      const { resources } = await raw.get<{ resources: { name: string; verbs: string[] }[] }>(path({ group, version }));
      const watchable = resources.filter(({ verbs }) => verbs.includes("list") && verbs.includes("watch"));
      return watchable.map(({ name }) => ({ group, version, resource: name }));
    }),
  );
  return kinds.flat();
}

/** The versions of all events of these kinds since the start, from watches on which nothing is held back. */
export class EventRecord implements AsyncDisposable {
  readonly #versions = new Map<string, number[]>();
  readonly #clients: RawClient[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void>[] = [];

  static async start(access: ClusterAccess, kinds: readonly Kind[]): Promise<EventRecord> {
    const record = new EventRecord();
    const { authority, admin } = access;
    for (const kind of kinds) {
      const from = await access.version(`${path(kind)}/${kind.resource}`);
      // A watch takes a connection for itself.
      const client = new RawClient(access.server, authority.ca.cert, admin);
      record.#clients.push(client);
      const running = record.#follow(client, kind, from);
      running.catch(() => undefined); // told by `stop`
      record.#running.push(running);
    }
    return record;
  }

  /** The version of the first event of the kind above this one; undefined without such an event. Errors: a kind that is not recorded. */
  firstAbove(kind: Kind, version: number): number | undefined {
    const versions = this.#versions.get(key(kind));
    if (!versions) throw new Error(`the events of ${key(kind)} were not recorded`);
    return versions.find((event) => event > version);
  }

  /** Resources of which there was an event. */
  changed(): string[] {
    const busy = [...this.#versions].filter(([, versions]) => versions.length > 0);
    return busy.map(([key]) => key);
  }

  /** Fails if one of the watches ended before: then events are missing. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
    for (const client of this.#clients) client.close();
    this.#running = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #follow(client: RawClient, kind: Kind, from: string): Promise<void> {
    const versions: number[] = [];
    this.#versions.set(key(kind), versions);
    const { signal } = this.#stopping;
    const url = `${path(kind)}/${kind.resource}?watch=true&timeoutSeconds=7200&resourceVersion=${from}`;
    try {
      for await (const { object } of client.lines(url, signal)) versions.push(Number(object.metadata.resourceVersion));
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
    if (!signal.aborted) throw new Error(`the record of ${key(kind)} ended`);
  }
}

function path({ group, version }: Omit<Kind, "resource">): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

function key({ group, version, resource }: Kind): string {
  return `${group}/${version}/${resource}`;
}
