/** What was read too far, then the rest. Unlike a generator it closes the stream even if nobody began to read. */
export class ResumedStream<V> implements AsyncIterable<V>, AsyncIterator<V> {
  readonly #first: V[];
  readonly #stream: AsyncIterator<V>;

  constructor(first: V, stream: AsyncIterator<V>) {
    this.#first = [first];
    this.#stream = stream;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<V>> {
    const first = this.#first.pop();
    return first === undefined ? this.#stream.next() : Promise.resolve({ done: false, value: first });
  }

  async return(): Promise<IteratorResult<V>> {
    await this.#stream.return?.();
    return { done: true, value: undefined };
  }
}
