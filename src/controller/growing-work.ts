/** Things under way, of which more may begin for as long as one is. */
export class GrowingWork {
  readonly #ended: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  #underWay = 0;

  constructor() {
    this.#ended.promise.catch(() => {}); // told to whoever waits
  }

  /** Resolves when all have, rejects with the first that does. Of nothing at all it never settles. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  add(work: Promise<unknown>): void {
    this.#underWay += 1;
    work.then(() => {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#ended.resolve();
    }, this.#ended.reject);
  }
}
