import { seededRandom } from "../../src/base/index.ts";
import { Informer, type InformerEvent, type InformerOptions } from "../../src/cache/index.ts";
import { defineResource, type KubeObject, type Resource } from "../../src/resources/index.ts";
import type { Log, LogFields } from "../../src/telemetry/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { RecordingMeter } from "../controller/recording.ts";
import { refused, ScriptedServer } from "./scripted-server.ts";

export const things: Resource = defineResource({ group: "", version: "v1", kind: "Thing", resource: "things" });

export interface Line {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** One informer on a scripted server, with everything it says kept for assertions. */
export class Rig implements AsyncDisposable {
  readonly server: ScriptedServer = new ScriptedServer();
  readonly clock: VirtualClock = new VirtualClock();
  readonly meter: RecordingMeter = new RecordingMeter();
  readonly lines: Line[] = [];
  readonly events: string[] = [];
  readonly informer: Informer;
  readonly #stop: AbortController = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: Partial<InformerOptions<KubeObject>> = {}) {
    const say =
      (level: Line["level"]) =>
      (message: string, fields: LogFields = {}): void =>
        void this.lines.push({ level, message, fields });
    const log: Log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
    const env = { clock: this.clock, random: seededRandom(1), meter: this.meter, log };
    this.informer = new Informer({ client: this.server, resource: things, env, ...options });
    this.informer.addHandler((event) => this.events.push(describe(event)));
  }

  /** Starts it, refuses the WatchList and leaves the list to be answered, unless `streams`. */
  async start(options: { streams?: boolean } = {}): Promise<void> {
    this.#running = this.informer.run({ signal: this.#stop.signal });
    await this.rest();
    if (options.streams) return;
    this.server.lastWatch.fail(refused());
    await this.rest();
    this.lines.length = 0;
  }

  /** Started, listed at `version`, watching. */
  async started(version: number, items: readonly KubeObject[] = []): Promise<void> {
    await this.start();
    this.server.lastList.answer(String(version), items);
    await this.rest();
    this.events.length = 0;
  }

  /** Everything that can happen without time passing has happened. */
  rest(): Promise<void> {
    return this.clock.advance(0);
  }

  /** Rests until it is so; what takes many turns of the event loop is not over with one rest. */
  async until(condition: () => boolean): Promise<void> {
    for (let turns = 0; turns < 1_000 && !condition(); turns += 1) await this.rest();
  }

  keys(): string[] {
    return this.informer.lister.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
  }

  restarts(reason: string): number {
    return this.meter.total("stalewatch_watch_restarts_total", { reason });
  }

  relists(reason: string): number {
    return this.meter.total("stalewatch_relists_total", { reason });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** `update a@4 -> a@5 (watch)`. */
export function describe(event: InformerEvent<KubeObject>): string {
  const text = ({ metadata }: typeof event.object): string => `${metadata.name}@${metadata.resourceVersion}`;
  const what = event.type === "update" ? `${text(event.old)} -> ${text(event.object)}` : text(event.object);
  return `${event.type} ${what} (${event.type === "delete" && event.tombstone ? "tombstone, " : ""}${event.cause})`;
}
