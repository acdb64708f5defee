import { type Clock, sleep, type Transport } from "../../src/base/index.ts";

/**
 * A transport on which watches of whole objects, as caches make them, arrive late by `delayMs` (read at each chunk); metadata-only ones,
 * as the watches beside the caches are, do not. The order is kept.
 */
export function lateWatches(transport: Transport, clock: Clock, delayMs: () => number): Transport {
  async function* late(body: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const chunks: { chunk: Uint8Array; dueAt: number }[] = [];
    let ended = false;
    let failure: unknown;
    let wake = Promise.withResolvers<void>();
    const pump = (async () => {
      try {
        for await (const chunk of body) {
          chunks.push({ chunk, dueAt: clock.monotonic() + delayMs() });
          wake.resolve();
        }
      } catch (thrown) {
        failure = thrown;
      }
      ended = true;
      wake.resolve();
    })();
    for (;;) {
      const next = chunks.shift();
      if (next) {
        const leftMs = next.dueAt - clock.monotonic();
        if (leftMs > 0) await sleep(clock, leftMs, signal);
        yield next.chunk;
      } else if (ended) {
        await pump;
        if (failure !== undefined) throw failure;
        return;
      } else {
        await wake.promise;
        wake = Promise.withResolvers<void>();
      }
    }
  }
  return {
    exchange: async (request) => {
      const answer = await transport.exchange(request);
      const isCache = request.path.includes("watch=true") && !(request.headers["accept"] ?? "").includes("Partial");
      return isCache && answer.status === 200 ? { ...answer, body: late(answer.body, request.signal) } : answer;
    },
    close: () => transport.close(),
  };
}
