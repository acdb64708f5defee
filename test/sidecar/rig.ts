import { Sidecar, type SidecarOptions, type SidecarUrls } from "../../src/sidecar/index.ts";
import { type Log, type LogFields, noopLog } from "../../src/telemetry/index.ts";
import type { EmbeddedCluster } from "../../src/testing/index.ts";

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

interface Page {
  readonly status: number;
  readonly body: string;
}

/** A sidecar that runs on an embedded cluster's clock, and how to ask it. */
export interface Rig extends AsyncDisposable {
  readonly urls: SidecarUrls;
  readonly lines: readonly Line[];
  get(listener: keyof SidecarUrls, path: string): Promise<Page>;
  json<T>(path: string): Promise<T>;
  /** What its `run` gives. */
  readonly stopped: Promise<void>;
  /** Asks it to stop; resolves once it has. */
  stop(): Promise<void>;
}

export const freePorts: SidecarOptions["listen"] = {
  metrics: "127.0.0.1:0",
  health: "127.0.0.1:0",
  status: "127.0.0.1:0",
};

export function optionsFor(
  cluster: EmbeddedCluster,
  more: Partial<SidecarOptions> = {},
): { options: SidecarOptions; lines: Line[] } {
  const lines: Line[] = [];
  const note =
    (level: string): Log["info"] =>
    (message, fields = {}) =>
      void lines.push({ level, message, fields });
  const log = { ...noopLog, info: note("info"), warn: note("warn"), error: note("error") };
  const server = { server: "embedded", transport: cluster.transport() };
  const env = { clock: cluster.clock, log };
  return { options: { cluster: server, listen: freePorts, version: "1.2.3", env, ...more }, lines };
}

/** Started and settled: whatever it can do without time passing is done. */
export async function startSidecar(cluster: EmbeddedCluster, more: Partial<SidecarOptions> = {}): Promise<Rig> {
  const { options, lines } = optionsFor(cluster, more);
  const sidecar = new Sidecar(options);
  const stopping = new AbortController();
  const running = sidecar.run({ signal: stopping.signal });
  running.catch(() => {}); // told to whoever stops it
  const urls = await sidecar.whenListening();
  await cluster.settle();
  const get = async (listener: keyof SidecarUrls, path: string): Promise<Page> => {
    const answer = await fetch(`${urls[listener]}${path}`, { headers: { connection: "close" } });
    return { status: answer.status, body: await answer.text() };
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await cluster.settle({ advance: 1_000 });
    await running;
  };
  return {
    urls,
    lines,
    stopped: running,
    get,
    json: async <T>(path: string) => JSON.parse((await get("status", path)).body) as T,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
