/**
 * The body of an answer: bytes pushed on one side, read on the other by one reader. Several pushes that nobody has read yet come
 * out as one chunk, as they would from a socket.
 */
export class ByteStream implements AsyncIterable<Uint8Array> {
  readonly #onClose: () => void;
  #queue: Uint8Array[] = [];
  #waiting: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: Error) => void } | undefined;
  #ended = false;
  #failure: Error | undefined;
  #closed = false;

  /** `onClose` runs once: when the reader leaves, or has read to the end. */
  constructor(onClose: () => void = () => {}) {
    this.#onClose = onClose;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended || this.#closed) return;
    this.#queue.push(chunk);
    this.#serve();
  }

  /** The clean end, after what was pushed. */
  end(): void {
    this.#ended = true;
    this.#serve();
  }

  /** Breaks the connection: what was pushed is still read, then `error` is thrown. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.#failure = error;
    this.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.#waiting = { resolve, reject };
          this.#serve();
        }),
      return: () => {
        this.#close();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #serve(): void {
    const reader = this.#waiting;
    if (!reader) return;
    if (this.#queue.length === 0 && !this.#ended && !this.#closed) return;
    this.#waiting = undefined;
    if (this.#queue.length > 0) {
      const chunks = this.#queue;
      this.#queue = [];
      reader.resolve({ done: false, value: chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks) });
      return;
    }
    this.#close();
    if (this.#failure) reader.reject(this.#failure);
    else reader.resolve({ done: true, value: undefined });
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue = [];
    this.#onClose();
    this.#serve();
  }
}
