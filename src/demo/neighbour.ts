import { type Transport, systemClock } from "../base/index.ts";
import { InformerSet } from "../cache/index.ts";
import { PrometheusMeter } from "../exposition/index.ts";
import { Listener, metricsApp } from "../http/index.ts";
import { KubeClient } from "../kube/index.ts";
import type { Target } from "../lag/index.ts";
import { resources } from "../resources/index.ts";
import { openTarget } from "../sidecar/index.ts";
import { type Log, resolveEnv } from "../telemetry/index.ts";
import { HeldWatches } from "./held-watches.ts";

/** Its name as a target, and as the name of its caches. */
export const NEIGHBOUR = "neighbour";

/** A stand-in for somebody else's controller: caches of Jobs and ConfigMaps, whose versions it publishes on a /metrics of its own. */
export class Neighbour {
  readonly #watches: HeldWatches;
  readonly #listener: Listener;
  readonly #stopping: AbortController = new AbortController();
  readonly #ended: Promise<void>;

  private constructor(watches: HeldWatches, informers: InformerSet, listener: Listener) {
    this.#watches = watches;
    this.#listener = listener;
    this.#ended = informers.run({ signal: this.#stopping.signal });
  }

  /** Its first lists are complete. */
  static async start(transport: Pick<Transport, "exchange">, log: Log): Promise<Neighbour> {
    const clock = systemClock;
    const meter = new PrometheusMeter({ clock, log, processMetrics: false });
    const env = resolveEnv({ clock, log, meter });
    const watches = new HeldWatches(transport, "/apis/batch/v1/jobs");
    const informers = new InformerSet({ client: new KubeClient({ transport: watches, env }), name: NEIGHBOUR, env });
    const caches = [informers.get(resources.jobs), informers.get(resources.configMaps)];
    const listener = await Listener.open({
      name: NEIGHBOUR,
      flag: "--metrics-bind-address",
      address: "127.0.0.1:0",
      reach: "loopback",
      handler: metricsApp(meter, env),
      clock,
      log,
    });
    // There is none only at the address "0".
    const neighbour = new Neighbour(watches, informers, listener as Listener);
    await Promise.all(caches.map((cache) => cache.whenSynced()));
    return neighbour;
  }

  /** Where its metrics are. */
  get url(): string {
    return `${this.#listener.url}/metrics`;
  }

  /** As the sidecar is told of it: its caches leave no object out. */
  target(): Target {
    return openTarget({ name: NEIGHBOUR, url: new URL(this.url), scope: "all" });
  }

  /** From now on, news about Jobs reaches its cache only once it is let go. */
  hold(): void {
    this.#watches.hold();
  }

  release(): void {
    this.#watches.release();
  }

  async stop(): Promise<void> {
    this.release();
    this.#stopping.abort();
    await this.#ended;
    await this.#listener.close(0);
  }
}
