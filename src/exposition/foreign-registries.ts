import { type Clock, messageOf, sleep, StalewatchError } from "../base/index.ts";
import type { Log } from "../telemetry/index.ts";
import { type Format, formatOf } from "./format.ts";

/** A registry of the user's own, of any Prometheus client: its text is appended to ours. */
export interface ForeignRegistry {
  readonly contentType: string;
  metrics(): string | Promise<string>;
}

/** A registry that takes longer is left out of this scrape; Prometheus itself gives up after 10 s unless told otherwise. */
const DEADLINE_MS = 5_000;

/**
 * The registries that users bring. Each speaks one format for good, so together they fix the format of the whole page. One that
 * fails, hangs, or repeats a family of ours costs its own samples and a log line, never the scrape.
 */
export class ForeignRegistries {
  readonly #registries: { registry: ForeignRegistry; complained: Set<string> }[] = [];
  readonly #clock: Clock;
  readonly #log: Log;
  #format: Format | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The one format that all of them speak; undefined while there is none, so that both are open. */
  get format(): Format | undefined {
    return this.#format;
  }

  /** Errors: `REGISTRY_FORMAT` for a content type that is neither format, or not that of the registries before it. */
  attach(registry: ForeignRegistry): void {
    const format = formatOf(registry.contentType);
    if (!format || (this.#format && this.#format !== format)) {
      throw new StalewatchError(
        "REGISTRY_FORMAT",
        `a metrics registry of content type "${registry.contentType}" cannot share a page with the others`,
        "give every registry the Prometheus text format, or every one OpenMetrics",
      );
    }
    this.#format = format;
    this.#registries.push({ registry, complained: new Set() });
  }

  /** What all of them have to say, without the end mark and without families of `taken`. */
  async render(taken: ReadonlySet<string>): Promise<string> {
    const seen = new Set(taken);
    let page = "";
    for (const { registry, complained } of this.#registries) {
      const complain = (problem: string): void => {
        if (complained.has(problem)) return;
        complained.add(problem);
        this.#log.warn("left out metrics of an attached registry", { problem });
      };
      try {
        page += withoutTaken(await this.#metricsOf(registry), seen, complain);
      } catch (error) {
        complain(messageOf(error));
      }
    }
    return page;
  }

  async #metricsOf(registry: ForeignRegistry): Promise<string> {
    const deadline = new AbortController();
    const expiry = sleep(this.#clock, DEADLINE_MS, deadline.signal).then(
      () => {
        throw new Error(`no answer within ${DEADLINE_MS / 1_000} s`);
      },
      () => "",
    );
    try {
      return await Promise.race([registry.metrics(), expiry]);
    } finally {
      deadline.abort();
    }
  }
}

/** Drops the families whose names are taken, since a page that names one twice is refused as a whole by some scrapers. */
function withoutTaken(text: string, taken: Set<string>, complain: (problem: string) => void): string {
  const kept: string[] = [];
  const own = new Set<string>();
  let skipping = false;
  for (const line of text.split("\n")) {
    if (line === "" || line === "# EOF") continue;
    const family = /^# (?:HELP|TYPE|UNIT) (\S+)/.exec(line)?.[1];
    if (family !== undefined) {
      const plain = family.replace(/_total$/, "");
      skipping = taken.has(plain);
      if (skipping) complain(`the family ${family} is already exported`);
      else own.add(plain);
    }
    if (!skipping) kept.push(line);
  }
  for (const family of own) taken.add(family);
  return kept.length > 0 ? `${kept.join("\n")}\n` : "";
}
