/**
 * How much later than its interval an object is due: the same share of every interval for one uid, in [0, `intervalMs` / 10), so
 * that objects made together do not check in lockstep. Depends on the uid alone: another process, or the same one after a
 * restart, comes to the same. 0 without a uid.
 */
export function uidJitterMs(uid: string | undefined, intervalMs: number): number {
  if (!uid) return 0;
  return Math.floor((hash32(uid) / 2 ** 32) * (intervalMs / 10));
}

/**
 * 32-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) over UTF-16 units, which alone leaves the upper bits of similar texts
 * alike; so the finaliser of MurmurHash3 follows (https://github.com/aappleby/smhasher, public domain). Uids that differ in one
 * digit are spread as well as any others.
 */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
