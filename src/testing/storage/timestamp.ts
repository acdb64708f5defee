let lastSecond = Number.NaN;
let lastText = "";

/** RFC 3339 to the second, as metav1.Time is written. Many objects are stamped within one second. */
export function timestamp(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`;
  }
  return lastText;
}
