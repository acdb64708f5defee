/** What `work` gives, unless `signal` aborts first: then its reason. The work itself goes on; nobody waits for it any more. */
export async function untilAborted<V>(work: Promise<V>, signal: AbortSignal | undefined): Promise<V> {
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
