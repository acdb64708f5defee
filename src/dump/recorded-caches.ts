import { HeadTable } from "../head/index.ts";
import { isRecord, type Json } from "../kube/index.ts";
import {
  CacheLag,
  LAG_BUDGET_MS,
  type LagAnswer,
  readTarget,
  type TargetCacheAnswer,
  UNFILTERED,
  unwrapVersion,
} from "../lag/index.ts";
import { groupVersionOf } from "../resources/index.ts";
import { itemTypeOf } from "./dump-kinds.ts";
import type { RecordedLine, RecordedSample } from "./recording.ts";

interface Head {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly table: HeadTable;
  /** Only some namespaces were recorded, and a change in another would not be known of. */
  isPartial: boolean;
}

const NOTHING = new HeadTable();

interface Cache {
  readonly lag: CacheLag;
  readonly answer: Omit<TargetCacheAnswer, "lag" | "storeVersion">;
  storeVersion: string;
  last: LagAnswer;
}

/**
 * How stale the caches of recorded targets were when they were last seen: the recorded lists and watches are the second pair of eyes.
 * The bounds are those of lag/. What a live sidecar tells besides is not told here: that a replica stands by, that a process has
 * restarted or that several answer under one address (one of them is then taken for a late one), and which kind is meant by a plural
 * that is not its kind with an "s". A list that does not say when it was asked for, as those of other tools may not, bounds nothing from above.
 */
export class RecordedCaches {
  readonly #heads: Map<string, Head> = new Map();
  readonly #caches: Map<string, Cache> = new Map();
  #now = 0;

  take(line: RecordedLine): void {
    this.#now = line.at;
    if (line.type === "LISTED") this.#listed(line.object, line);
    if (line.type === "ADDED" || line.type === "MODIFIED" || line.type === "DELETED") {
      this.#headOf(line.object)?.table.event(versionOf(line.object), line.at);
    }
    if (line.type === "BOOKMARK") this.#headOf(line.object)?.table.bookmark(versionOf(line.object));
    if (line.type === "TARGET") this.#seen(line.target, line.samples, line.sentAt ?? line.at);
  }

  answers(): readonly TargetCacheAnswer[] {
    return [...this.#caches.values()].map(({ answer, storeVersion, last }) => ({ ...answer, storeVersion, lag: last }));
  }

  #listed(
    list: Json,
    { sentAt = Number.NEGATIVE_INFINITY, namespace }: { sentAt?: number | undefined; namespace?: string },
  ): void {
    const itemType = itemTypeOf(list);
    if (!itemType) return;
    const head = this.#head(itemType);
    const { table } = head;
    if (namespace !== undefined) head.isPartial = true;
    const [version, answeredAt] = [versionOf(list), this.#now];
    const outcome = table.read({ version, sentAt, answeredAt, source: "list", newestBefore: table.newest });
    // The watch may have broken off before: what lies between is known to be somewhere there, no more.
    if (outcome === "kept") table.skipTo(version, answeredAt);
  }

  #headOf({ apiVersion, kind }: Json): Head | undefined {
    if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
    return this.#head({ apiVersion, kind });
  }

  #head({ apiVersion, kind }: { apiVersion: string; kind: string }): Head {
    const key = `${apiVersion} ${kind}`;
    const known = this.#heads.get(key);
    if (known) return known;
    const head = { ...groupVersionOf(apiVersion), kind, table: new HeadTable(), isPartial: false };
    this.#heads.set(key, head);
    return head;
  }

  #seen(target: string, samples: readonly RecordedSample[], sentAt: number): void {
    const page = samples.map(({ name, labels, value }) => ({ name, labels: new Map(Object.entries(labels)), value }));
    for (const store of readTarget({ samples: page, types: new Map(), duplicates: 0, malformed: 0 }).stores) {
      const cache = this.#cache(target, store);
      const head = this.#headNamed(store)?.table.view();
      const { digits } = store;
      cache.storeVersion = digits === undefined ? "" : String(digits);
      const version = digits && head ? String(unwrapVersion(digits, head.position)) : cache.storeVersion;
      cache.last = cache.lag.observe({ version, sentAt, receivedAt: this.#now });
    }
  }

  #cache(target: string, store: Omit<TargetCacheAnswer, "target" | "storeVersion" | "lag">): Cache {
    const { name, group, version, resource } = store;
    const key = [target, name, group, version, resource].join("\n");
    const known = this.#caches.get(key);
    if (known) return known;
    const now = (): number => this.#now;
    const head = (): Head | undefined => this.#headNamed(store);
    const lag = new CacheLag({
      head: {
        get table() {
          return head()?.table ?? NOTHING;
        },
        get doubt() {
          if (head()?.isPartial) return "the recording is of some namespaces only";
          return head() ? undefined : "the recording has no list of this kind";
        },
        suspect: () => {}, // nobody can ask again
      },
      budgetMs: LAG_BUDGET_MS,
      reads: true,
      scope: UNFILTERED.has(name) ? "same" : "unknown",
      clock: { now, monotonic: now, setTimer: () => ({ cancel: () => {} }) },
    });
    const last = lag.observe({ version: "", sentAt: this.#now, receivedAt: this.#now });
    const cache: Cache = { lag, answer: { target, name, group, version, resource }, storeVersion: "", last };
    this.#caches.set(key, cache);
    return cache;
  }

  /** client-go writes the kind in lower case with an "s" behind it. */
  #headNamed({ group, version, resource }: { group: string; version: string; resource: string }): Head | undefined {
    return [...this.#heads.values()].find((head) => {
      return head.group === group && head.version === version && `${head.kind.toLowerCase()}s` === resource;
    });
  }
}

function versionOf({ metadata }: Json): string {
  const version = isRecord(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof version === "string" ? version : "";
}
