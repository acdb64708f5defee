import { type ClusterAccess, eventually, type Json } from "../harness/index.ts";

/** One version of the Lease or of the ConfigMap, in the order in which etcd has them. */
interface Sight {
  readonly version: bigint;
  readonly of: "lease" | "target";
  /** Who holds the lease, or who wrote. */
  readonly who: string;
  /** When this process saw it, machine's time in milliseconds. */
  readonly at: number;
  readonly object: Json;
}

/** Watches a Lease and the ConfigMap that its holder writes to, without the product's code. */
export class Witness implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #sights: Sight[] = [];
  readonly #watching: Promise<unknown>;

  private constructor(access: ClusterAccess, namespace: string, name: string) {
    const from = `fieldSelector=metadata.name=${name}&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?${from}`;
    const target = `/api/v1/namespaces/${namespace}/configmaps?${from}`;
    this.#watching = Promise.all([
      this.#watch(access, lease, "lease", ({ spec }) => String(spec.holderIdentity ?? "")),
      this.#watch(access, target, "target", ({ data }) => String(data?.by ?? "")),
    ]);
    this.#watching.catch(() => {}); // told at the end
  }

  /** Makes the ConfigMap. */
  static async start(access: ClusterAccess, namespace: string, name: string): Promise<Witness> {
    const target = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    await access.raw.post(`/api/v1/namespaces/${namespace}/configmaps`, target);
    return new Witness(access, namespace, name);
  }

  /** Everything so far, in the order of the versions: the true order of all writes of one etcd. */
  sights(of?: Sight["of"]): Sight[] {
    const wanted = this.#sights.filter((sight) => of === undefined || sight.of === of);
    return wanted.sort((a, b) => (a.version < b.version ? -1 : 1));
  }

  /** Who held the lease, one after the other; "" where it was given back. */
  holders(): string[] {
    const all = this.sights("lease").map(({ who }) => who);
    return all.filter((who, nth) => who !== all[nth - 1]);
  }

  get holder(): string | undefined {
    return this.holders().at(-1);
  }

  /** The first sight of the lease with this holder, and the last one. */
  reign(who: string): { began: Sight; last: Sight } | undefined {
    const sights = this.sights("lease").filter((sight) => sight.who === who);
    const [began, last] = [sights[0], sights.at(-1)];
    return began && last && { began, last };
  }

  /** Writes by somebody who did not hold the lease when etcd took them. Empty, or an election has failed. */
  strayWrites(): string[] {
    let holder = "";
    const stray: string[] = [];
    for (const { of, who, version } of this.sights()) {
      if (of === "lease") holder = who;
      else if (who !== "" && who !== holder) stray.push(`${version}: ${who} wrote, "${holder}" held the lease`);
    }
    return stray;
  }

  writesOf(who: string): number {
    return this.sights("target").filter((sight) => sight.who === who).length;
  }

  /** Somebody whose identity fits leads and has written. */
  async whenLeads(fits: (who: string) => boolean, timeoutMs: number): Promise<string> {
    return eventually(
      "a leader that writes",
      () => {
        const { holder = "" } = this;
        return fits(holder) && this.writesOf(holder) > 0 && holder;
      },
      { timeoutMs, everyMs: 20 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #watch(access: ClusterAccess, path: string, of: Sight["of"], who: (object: Json) => string): Promise<void> {
    const { signal } = this.#stop;
    try {
      for await (const { type, object } of access.raw.lines(path, signal)) {
        if (type !== "ADDED" && type !== "MODIFIED") continue;
        const version = BigInt(object.metadata.resourceVersion);
        this.#sights.push({ version, of, who: who(object), at: Date.now(), object });
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      return;
    }
    if (!signal.aborted) throw new Error(`the watch ended: ${path}`);
  }
}
