import type { ExchangeRequest, ExchangeResponse, Random, Transport } from "../../src/base/index.ts";
import {
  type ControllerStatus,
  type ManagedController,
  Manager,
  type ManagerOptions,
} from "../../src/controller/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { type Job, resources } from "../../src/resources/index.ts";
import type { Env, Log, LogFields } from "../../src/telemetry/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { type Run, runs } from "./objects.ts";
import { RecordingMeter, RecordingTracer } from "./recording.ts";

export interface RigOptions extends Omit<ManagerOptions, "controllers" | "client" | "cluster" | "env"> {
  /** Record spans; nobody traces unless given. There is no resync unless `syncPeriod` is given. */
  traced?: boolean;
  /** 0.5 each time unless given. */
  random?: Random;
}

export interface LogLine extends LogFields {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
}

/** A manager on an embedded cluster in virtual time, with everything that it tells kept for assertions. */
export class Rig implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly meter: RecordingMeter = new RecordingMeter();
  readonly tracer: RecordingTracer = new RecordingTracer();
  readonly lines: LogLine[] = [];
  readonly cluster: EmbeddedCluster;
  readonly env: Partial<Env>;
  readonly client: KubeClient;
  readonly stop: AbortController = new AbortController();
  readonly #requests: ExchangeRequest[] = [];
  readonly #options: RigOptions;
  #manager: Manager | undefined;
  #running: Promise<void> = Promise.resolve();

  private constructor(cluster: EmbeddedCluster, clock: VirtualClock, options: RigOptions) {
    this.cluster = cluster;
    this.clock = clock;
    this.#options = options;
    const log = recordingLog(this.lines);
    this.env = {
      clock,
      random: options.random ?? (() => 0.5),
      meter: this.meter,
      log,
      ...(options.traced && { tracer: this.tracer }),
    };
    this.client = new KubeClient({ transport: counted(cluster.transport(), this.#requests), env: this.env });
  }

  static async make(options: RigOptions = {}): Promise<Rig> {
    const clock = new VirtualClock();
    const cluster = await EmbeddedCluster.start({ clock });
    cluster.register({ ...runs, subresources: ["status"] });
    return new Rig(cluster, clock, options);
  }

  /** Starts a manager; its first passes are over when this resolves. */
  async run(...controllers: ManagedController[]): Promise<void> {
    const { traced: _traced, random: _random, ...options } = this.#options;
    this.#manager = new Manager({ controllers, client: this.client, env: this.env, syncPeriod: 0, ...options });
    this.#running = this.#manager.run({ signal: this.stop.signal });
    this.#running.catch(() => {});
    await this.settle();
  }

  get manager(): Manager {
    if (!this.#manager) throw new Error("run a manager first");
    return this.#manager;
  }

  /** What `run` of the manager resolves or rejects with. */
  get ended(): Promise<void> {
    return this.#running;
  }

  settle(advance = 0): Promise<void> {
    return this.cluster.settle({ advance });
  }

  /** Of the only controller. */
  get status(): ControllerStatus {
    const [status] = this.manager.status().controllers;
    if (!status) throw new Error("there is no controller");
    return status;
  }

  createRun(
    name: string,
    more: { approved?: boolean; annotations?: Record<string, string>; finalizers?: string[] } = {},
  ): Run {
    const { approved = true, ...metadata } = more;
    return this.cluster.objects.create(runs, {
      metadata: { name, namespace: "shop", ...metadata },
      spec: { approved },
    });
  }

  jobs(): Job[] {
    return this.cluster.objects.list(resources.jobs);
  }

  /** Requests made since this was last asked, watches left out. */
  takeRequests(): string[] {
    const taken = this.#requests.splice(0);
    return taken.filter(({ pool }) => pool !== "watches").map(({ method, path }) => `${method} ${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    const over = Promise.allSettled([this.#running]);
    // Whatever a test left hanging is given up after the drain's deadlines.
    await this.clock.advance(60_000);
    await over;
    await this.cluster[Symbol.asyncDispose]();
  }
}

function counted(transport: Transport, requests: ExchangeRequest[]): Transport {
  return {
    exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
      requests.push(request);
      return transport.exchange(request);
    },
    close: () => transport.close(),
  };
}

function recordingLog(lines: LogLine[]): Log {
  const say =
    (level: LogLine["level"]) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ ...fields, level, message });
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}
