import type { KubeObject } from "../resources/index.ts";
import type { HandlerRegistration, InformerEvent, InformerHandler } from "./api.ts";

/** One handler's place in the queue of deltas. */
export class Registration<T extends KubeObject> implements HandlerRegistration {
  readonly #handler: InformerHandler<T>;
  readonly #failed: (thrown: unknown) => void;
  readonly #removed: (registration: Registration<T>) => void;
  #synced = false;
  #isRemoved = false;

  constructor(handlers: {
    handler: InformerHandler<T>;
    failed: (thrown: unknown) => void;
    removed: (registration: Registration<T>) => void;
  }) {
    this.#handler = handlers.handler;
    this.#failed = handlers.failed;
    this.#removed = handlers.removed;
  }

  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  hasSynced(): boolean {
    return this.#synced;
  }

  remove(): void {
    this.#isRemoved = true;
    this.#removed(this);
  }

  markSynced(): void {
    this.#synced = true;
  }

  deliver(event: InformerEvent<T>): void {
    if (this.#isRemoved) return;
    try {
      this.#handler(event);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }
}

/** The handlers that have joined: each gets every event, whatever the others throw. */
export class Handlers<T extends KubeObject> {
  /** Replaced, never changed, so that a handler may remove itself or another while an event is delivered. */
  #joined: readonly Registration<T>[] = [];

  join(registration: Registration<T>): void {
    if (!registration.isRemoved) this.#joined = [...this.#joined, registration];
  }

  leave(registration: Registration<T>): void {
    this.#joined = this.#joined.filter((other) => other !== registration);
  }

  deliver(event: InformerEvent<T>): void {
    for (const registration of this.#joined) registration.deliver(event);
  }

  markSynced(): void {
    for (const registration of this.#joined) registration.markSynced();
  }
}
