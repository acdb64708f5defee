import { type Clock, KeyedHeap, StalewatchError, type Timer } from "../base/index.ts";

/** Two turns of the event loop without any activity: nothing in this process waits for anything but a timer. */
const QUIET_TURNS = 2;
/** How long a reader that took bytes and has not come back may hold a settle; then it waits for a timer itself. */
const PATIENT_TURNS = 50;
/** More timers than this at one instant: somebody sets a timer of zero for ever. */
const MOST_ROUNDS_AN_INSTANT = 100_000;

export interface VirtualClockOptions {
  /** Wall time at the start, milliseconds since the epoch; 2026-01-01T00:00:00Z unless given. */
  startMs?: number;
}

/**
 * A clock whose time moves only inside `advance`. Timers fire in order of their time; before time moves on, every promise chain
 * that can go on without a timer has gone on.
 *
 * Sees work by promises, timers of this clock, and `setImmediate`; not the file system, sockets, threads or Node's own timers.
 */
export class VirtualClock implements Clock {
  readonly #timers: KeyedHeap<VirtualTimer> = new KeyedHeap();
  readonly #busyProbes: Set<() => boolean> = new Set();
  #monotonicMs = 1_000;
  #wallOffsetMs: number;
  #activity = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: VirtualClockOptions = {}) {
    this.#wallOffsetMs = (options.startMs ?? Date.UTC(2026, 0, 1)) - this.#monotonicMs;
  }

  now(): number {
    return this.#monotonicMs + this.#wallOffsetMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  setTimer(run: () => void, delayMs: number): Timer {
    const timer: VirtualTimer = { run };
    this.#timers.set(timer, this.#monotonicMs + Math.max(delayMs, 0));
    this.noteActivity();
    return {
      cancel: () => {
        if (this.#timers.delete(timer)) this.noteActivity();
      },
    };
  }

  /** How many timers wait. Zero after everything was closed, or something leaks. */
  get waitingTimers(): number {
    return this.#timers.size;
  }

  /** Sets the wall clock forward or back, as an administrator or NTP would; the monotonic scale and timers do not notice. */
  shiftWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Lets everything run that can run without time passing, then moves time on, timer by timer. Calls are served in turn. */
  advance(byMs: number): Promise<void> {
    const turn = this.#turn.then(() => this.#advance(byMs));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Tells a running `advance` that something happened and that it must look again. */
  noteActivity(): void {
    this.#activity += 1;
  }

  /** While `busy` answers true, time waits (within reason). Returns how to take it back. */
  addBusyProbe(busy: () => boolean): () => void {
    this.#busyProbes.add(busy);
    return () => this.#busyProbes.delete(busy);
  }

  async #advance(byMs: number): Promise<void> {
    const target = this.#monotonicMs + Math.max(byMs, 0);
    await this.#quiet();
    let rounds = 0;
    for (let next = this.#timers.peek(); next && next.order <= target; next = this.#timers.peek()) {
      rounds = next.order > this.#monotonicMs ? 0 : rounds + 1;
      if (rounds > MOST_ROUNDS_AN_INSTANT) {
        throw new StalewatchError(
          "TIME_STANDS_STILL",
          "timers without delay are set without end",
          "look for a busy loop",
        );
      }
      this.#monotonicMs = Math.max(this.#monotonicMs, next.order);
      this.#fireDue();
      await this.#quiet();
    }
    this.#monotonicMs = target;
  }

  #fireDue(): void {
    const due: VirtualTimer[] = [];
    for (let next = this.#timers.peek(); next && next.order <= this.#monotonicMs; next = this.#timers.peek()) {
      this.#timers.pop();
      due.push(next.key);
    }
    for (const timer of due) timer.run();
  }

  async #quiet(): Promise<void> {
    let seen = this.#activity;
    let quietTurns = 0;
    while (quietTurns < QUIET_TURNS || (quietTurns < PATIENT_TURNS && this.#isBusy())) {
      await eventLoopTurn();
      quietTurns = this.#activity === seen ? quietTurns + 1 : 0;
      seen = this.#activity;
    }
  }

  #isBusy(): boolean {
    for (const busy of this.#busyProbes) if (busy()) return true;
    return false;
  }
}

interface VirtualTimer {
  readonly run: () => void;
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
