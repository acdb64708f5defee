import type { ExchangeRequest, Transport } from "../base/index.ts";

/** A transport whose watches of one kind can be held back: what comes meanwhile arrives when they are let go, and nothing is lost. */
export class HeldWatches implements Transport {
  readonly exchange: Transport["exchange"];
  readonly #path: string;
  #open: Promise<void> | undefined;
  #letGo: () => void = () => {};

  /** `path` is where the watches of the kind are asked for, without the query. */
  constructor(transport: Pick<Transport, "exchange">, path: string) {
    this.#path = path;
    this.exchange = async (request) => {
      const answer = await transport.exchange(request);
      return this.#isMeant(request) ? { ...answer, body: this.#held(answer.body) } : answer;
    };
  }

  hold(): void {
    this.#open ??= new Promise((resolve) => (this.#letGo = resolve));
  }

  release(): void {
    this.#letGo();
    this.#open = undefined;
  }

  /** The connections are somebody else's. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #isMeant({ path }: ExchangeRequest): boolean {
    return path.startsWith(`${this.#path}?`) && path.includes("watch=true");
  }

  async *#held(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      await this.#open;
      yield chunk;
    }
  }
}
