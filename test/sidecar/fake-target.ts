import { type Clock, sleep } from "../../src/base/index.ts";
import type { Target, TargetScope } from "../../src/lag/index.ts";
import { ExpositionParser, type MetricsPage, type MetricsSource } from "../../src/scrape/index.ts";

/** A cache as the target's page has it. */
export interface FakeStore {
  readonly name?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  value: string | number;
}

/** Somebody else's process, whose page a test writes; read without sockets, at the time of a clock. */
export class FakeTarget implements MetricsSource {
  readonly clock: Clock;
  readonly stores: FakeStore[] = [];
  /** Seconds since the Unix epoch; undefined where it does not say. */
  startedAt: number | undefined = 1_700_000_000;
  /** More lines of the page. */
  more = "";
  /** Instead of a page. */
  failure: Error | undefined;
  /** Until it answers. */
  delayMs = 0;
  reads = 0;
  closed = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A cache of kube-controller-manager's, unless said otherwise. */
  store(store: FakeStore): FakeStore {
    this.stores.push(store);
    return store;
  }

  as(name: string, scope?: TargetScope): Target {
    return { name, address: `http://${name}.test/metrics`, source: this, ...(scope ? { scope } : {}) };
  }

  async read({ wanted, signal }: Parameters<MetricsSource["read"]>[0]): Promise<MetricsPage> {
    this.reads += 1;
    await sleep(this.clock, this.delayMs, signal);
    if (this.failure) throw this.failure;
    const parser = new ExpositionParser(wanted);
    parser.push(Buffer.from(this.#page()));
    return parser.end();
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  #page(): string {
    const started = this.startedAt === undefined ? "" : `process_start_time_seconds ${this.startedAt}\n`;
    const stores = this.stores.map(
      ({ name = "kube-controller-manager", group = "", version = "v1", resource, value }) =>
        `informer_store_resource_version{name="${name}",group="${group}",version="${version}",resource="${resource}"} ${value}\n`,
    );
    return started + stores.join("") + this.more;
  }
}
