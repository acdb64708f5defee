/**
 * The body of a long answer. After each piece the event loop turns once, so that nothing else waits; empty pieces are such a
 * breath and nothing more.
 */
export async function* paced(pieces: Iterable<Uint8Array>, noteActivity: () => void): AsyncIterable<Uint8Array> {
  let first = true;
  for (const piece of pieces) {
    if (!first) {
      await new Promise((resolve) => setImmediate(resolve));
      noteActivity();
    }
    first = false;
    if (piece.length > 0) yield piece;
  }
}
