import { type Lead, LeaderElector, type LeaderElectorOptions } from "../election/index.ts";
import type { LiveReader, Writer } from "../kube/index.ts";
import { resources } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { deadline } from "./deadline.ts";
import { EventRecorder } from "./event-recorder.ts";
import { LeaderClient } from "./leader-client.ts";

/**
 * By which lease a manager stands for election; see `LeaderElector` for the terms. Who leads is also told by Events on the lease, where
 * create and patch on events are allowed.
 */
export interface LeaderElectionOptions extends Omit<LeaderElectorOptions, "client" | "env"> {
  /** Unless given, a client on connections of its own; where the manager was given its client, that one. */
  client?: LeaderElectorOptions["client"];
}

/** How long the last Event may hold up the release of the lease. */
const FLUSH_MS = 1_000;

/** A manager's part in an election. */
export class Leadership {
  /** For whatever writes as a leader. */
  readonly client: LiveReader & Writer;
  readonly #elector: LeaderElector;
  readonly #recorder: EventRecorder;
  readonly #env: Env;

  /** Errors: `BAD_ELECTION_PERIODS`. */
  constructor(election: LeaderElectorOptions, client: LiveReader & Writer, env: Env) {
    this.#elector = new LeaderElector({ ...election, env });
    this.client = new LeaderClient(client, this.#elector);
    this.#recorder = new EventRecorder({ client, component: "leader-election", env });
    this.#env = env;
  }

  /**
   * Stands for election until `stop` aborts, and runs `lead` while this process leads. The lease is given back after `lead` has ended.
   * Settles only then, also after a loss. Errors: `LeadershipLostError`; whatever `lead` throws.
   */
  async run(stop: AbortSignal, lead: Lead): Promise<void> {
    let work: Promise<void> | undefined;
    const announced: Lead = async (signal, lost) => {
      this.#tell("became leader");
      work = lead(signal, lost);
      await work;
      if (!lost.aborted) await this.#tellTheEnd();
    };
    try {
      await this.#elector.run({ signal: stop, lead: announced });
    } finally {
      await Promise.allSettled([work]); // The elector does not wait for it when the lease is lost.
    }
  }

  /** In client-go's words, for those who look for them. */
  #tell(what: string): void {
    const { lease, identity } = this.#elector;
    if (!lease) return;
    this.#recorder.record(
      { resource: resources.leases, object: lease },
      "Normal",
      "LeaderElection",
      `${identity} ${what}`,
    );
  }

  async #tellTheEnd(): Promise<void> {
    this.#tell("stopped leading");
    const limit = deadline(this.#env.clock, FLUSH_MS);
    try {
      await this.#recorder.flush(limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
    } finally {
      limit.end();
    }
  }
}
