import type { RequestListener } from "node:http";
import { Listener } from "../http/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { ListenAddresses } from "./sidecar-options.ts";

/** Where each listener can be asked from this machine; undefined where it is switched off. */
export interface SidecarUrls {
  readonly metrics: string | undefined;
  readonly health: string | undefined;
  readonly status: string | undefined;
}

/** How long answers under way may take at the end. */
const CLOSE_DEADLINE_MS = 5_000;

/** The three listeners of a sidecar: all of them are open, or none. */
export class Listeners {
  readonly urls: SidecarUrls;
  readonly #open: readonly Listener[];

  private constructor(urls: SidecarUrls, open: readonly Listener[]) {
    this.urls = urls;
    this.#open = open;
  }

  /** Errors: those of `Listener.open`; what was open is closed again. */
  static async open(
    addresses: ListenAddresses,
    apps: Readonly<Record<keyof ListenAddresses, RequestListener>>,
    options: { metricsSecure: boolean; env: Env },
  ): Promise<Listeners> {
    const { clock, log } = options.env;
    const open: Listener[] = [];
    const listen = async (
      name: keyof ListenAddresses,
      flag: string,
      reach: "loopback" | "anywhere",
    ): Promise<string | undefined> => {
      const listener = await Listener.open({
        name,
        flag,
        address: addresses[name],
        reach,
        handler: apps[name],
        clock,
        log,
      });
      if (listener) open.push(listener);
      return listener?.url;
    };
    try {
      const urls = {
        metrics: await listen("metrics", "--metrics-bind-address", options.metricsSecure ? "loopback" : "anywhere"),
        health: await listen("health", "--health-probe-bind-address", "anywhere"),
        status: await listen("status", "--status-bind-address", "loopback"),
      };
      return new Listeners(urls, open);
    } catch (error) {
      await Promise.all(open.map((listener) => listener.close(0)));
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((listener) => listener.close(CLOSE_DEADLINE_MS)));
  }
}
