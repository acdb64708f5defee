/** Metrics publish the last 15 digits of a version (client-go's informer metrics). */
const MODULUS = 10n ** 15n;

/** The version with these last 15 digits that is nearest to `head` and not negative. */
export function unwrapVersion(lastDigits: bigint, head: bigint): bigint {
  const below = head - ((head - lastDigits) % MODULUS);
  const candidates = [below - MODULUS, below, below + MODULUS].filter((version) => version >= 0n);
  return candidates.reduce((nearest, version) => (gap(version, head) < gap(nearest, head) ? version : nearest));
}

function gap(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b;
}
