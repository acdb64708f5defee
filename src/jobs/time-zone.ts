/** As kube-apiserver checks each part of spec.timeZone. */
const PART = /^(?!-)[A-Za-z._\-0-9+]{1,14}$/;

/** Between two looks at the clock's offset: no zone changes its clocks there and back again within a week. */
const STRIDE_MS = 7 * 24 * 3_600_000;

/** What nearly all schedules are in. */
const UTC = "UTC";

const formats: Map<string, Intl.DateTimeFormat> = new Map();

/** A zone of the IANA database: how far its clocks are from UTC, and when that changes. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;

  private constructor(name: string, format: Intl.DateTimeFormat) {
    this.name = name;
    this.#format = format;
  }

  /** Undefined: no such zone. Names are as exact as file names, as they are for Kubernetes. */
  static of(name: string): TimeZone | undefined {
    const known = formats.get(name);
    if (known) return new TimeZone(name, known);
    // Offsets ("+01:00") and names in other letters are known to JavaScript alone.
    if (!/^[A-Z]/.test(name) || !name.split("/").every((part) => PART.test(part)) || name === "Local") return undefined;
    try {
      const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
      const canonical = format.resolvedOptions().timeZone;
      if (canonical !== name && canonical.toLowerCase() === name.toLowerCase()) return undefined;
      formats.set(name, format);
      return new TimeZone(name, format);
    } catch {
      // The only thing that it throws for: it does not know the zone.
      return undefined;
    }
  }

  /** What its clocks show beyond UTC at this time, in milliseconds. */
  offsetAt(ms: number): number {
    if (this.name === UTC) return 0;
    const text = this.#format.format(ms);
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
    const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === "-" ? -size : size;
  }

  /** The first time in (from, to] at which its clocks are put forward or back, to the second. */
  changeBetween(from: number, to: number): number | undefined {
    if (this.name === UTC) return undefined;
    const before = this.offsetAt(from);
    let low = from;
    while (low < to) {
      let high = Math.min(low + STRIDE_MS, to);
      if (this.offsetAt(high) === before) {
        low = high;
        continue;
      }
      while (high - low > 1_000) {
        const middle = Math.floor((low + high) / 2);
        if (this.offsetAt(middle) === before) low = middle;
        else high = middle;
      }
      return Math.floor(high / 1_000) * 1_000;
    }
    return undefined;
  }
}
