import { type Clock, sleep } from "../../base/index.ts";
import type { Target, Verb } from "../api/backend.ts";
import { connectionReset } from "../transport/connection-errors.ts";
import type { Replica } from "../watching/replica.ts";
import type { StatusError } from "../status-error.ts";

/** Which requests: every field that is given must fit. */
export interface RequestMatch {
  readonly verb?: Verb | readonly Verb[];
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Index of the API server that is asked. */
  readonly replica?: number;
}

/** One armed fault; `hits` counts the requests that it met. */
export interface RequestFault {
  readonly hits: number;
  stop(): void;
}

interface Armed {
  readonly match: RequestMatch;
  readonly refusal?: StatusError;
  readonly delayMs?: number;
  readonly losesAnswer?: boolean;
  left: number;
  hits: number;
}

/** Faults that befall requests, before or after the work is done. */
export class RequestFaults {
  readonly #clock: Clock;
  readonly #indexOf: (replica: Replica) => number;
  readonly #armed: Set<Armed> = new Set();

  constructor(clock: Clock, indexOf: (replica: Replica) => number) {
    this.#clock = clock;
    this.#indexOf = indexOf;
  }

  arm(fault: Omit<Armed, "hits">): RequestFault {
    const armed: Armed = { ...fault, hits: 0 };
    this.#armed.add(armed);
    return {
      get hits(): number {
        return armed.hits;
      },
      stop: () => void this.#armed.delete(armed),
    };
  }

  /** Waits if the request is to be slow; returns the refusal if it is to fail. */
  async before(target: Target, replica: Replica): Promise<StatusError | undefined> {
    if (this.#armed.size === 0) return undefined;
    let refusal: StatusError | undefined;
    let delayMs = 0;
    for (const fault of this.#met(target, replica, (candidate) => !candidate.losesAnswer)) {
      refusal ??= fault.refusal;
      delayMs += fault.delayMs ?? 0;
    }
    if (delayMs > 0) await sleep(this.#clock, delayMs);
    return refusal;
  }

  /** Breaks the connection if the answer is to be lost. What was asked for has happened. */
  after(target: Target, replica: Replica): void {
    if (this.#armed.size === 0) return;
    for (const _ of this.#met(target, replica, (candidate) => candidate.losesAnswer === true)) throw connectionReset();
  }

  *#met(target: Target, replica: Replica, wanted: (fault: Armed) => boolean): Iterable<Armed> {
    for (const fault of this.#armed) {
      if (!wanted(fault) || !fits(fault.match, target, this.#indexOf(replica))) continue;
      fault.hits += 1;
      fault.left -= 1;
      if (fault.left <= 0) this.#armed.delete(fault);
      yield fault;
    }
  }
}

function fits(match: RequestMatch, { kind, path, verb }: Target, replica: number): boolean {
  const { verb: verbs, ...rest } = match;
  if (verbs !== undefined && !(Array.isArray(verbs) ? verbs.includes(verb) : verbs === verb)) return false;
  const { namespace, name, subresource } = path;
  const is: RequestMatchFields = { group: kind.group, resource: kind.resource, namespace, name, subresource, replica };
  return Object.entries(rest).every(([field, value]) => is[field as keyof RequestMatchFields] === value);
}

type RequestMatchFields = { [K in Exclude<keyof RequestMatch, "verb">]-?: RequestMatch[K] | undefined };
