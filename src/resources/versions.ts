/** How two resource versions of one resource stand to each other; "incomparable" when either is not a decimal number. */
export type VersionOrder = -1 | 0 | 1 | "incomparable";

/** One to any number of digits without a leading zero: what the API server promises since KEP-5504. "0" and "" are requests, not versions. */
export function isComparableVersion(version: string): boolean {
  return /^[1-9][0-9]*$/.test(version);
}

/**
 * Orders two versions of the same resource on the same server. A longer string is greater, equal lengths go by bytes; versions
 * can have more digits than a JavaScript number holds, so they are never converted
 * (https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version).
 */
export function compareVersions(a: string, b: string): VersionOrder {
  if (!isComparableVersion(a) || !isComparableVersion(b)) return "incomparable";
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The last 15 digits as a number, as upstream's informer metrics publish a version; 0 when it is not a decimal number. */
export function versionToMetric(version: string): number {
  return isComparableVersion(version) ? Number(version.slice(-15)) : 0;
}
