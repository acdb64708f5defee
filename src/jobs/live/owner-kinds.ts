import { type Clock, defined, messageOf, sleep } from "../../base/index.ts";
import type { DiscoveredResource, KubeClient } from "../../kube/index.ts";
import { type DeepReadonly, defineResource, type Job } from "../../resources/index.ts";
import type { Log } from "../../telemetry/index.ts";
import { kindKey, MOST_FOUND_KINDS, type OwnerKind, ownerKindOf } from "../parents/job-owner.ts";
import { genericParent } from "../parents/parent-presets.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import { missingRight } from "./missing-right.ts";

export interface OwnerKindsOptions {
  readonly client: Pick<KubeClient, "discover" | "review">;
  /** Whose Jobs are seen; all unless given. */
  readonly namespace: string | undefined;
  /** Kinds that are judged in any case. */
  readonly known: readonly ParentRules[];
  /** Told of each kind that is to be judged, once. */
  readonly found: (rules: ParentRules) => void;
  readonly env: { readonly clock: Clock; readonly log: Log };
}

/** What may not be read, or is not served, may be later. */
const LOOK_AGAIN_MS = 10 * 60_000;
/** After a look that failed altogether. */
const TRY_AGAIN_MS = 30_000;
/** Each look is a discovery, and each Job may name a kind that nobody has heard of. */
const PACE_MS = 1_000;
const MOST_WANTED = 100;
/** As a cache needs them. */
const VERBS: readonly string[] = ["list", "watch"];

/**
 * Finds the kinds of custom resources that own Jobs as their Jobs come by, and looks up how the API server serves them. No more than
 * twenty; of those that may not be read, or are gone, `notes` tells.
 */
export class OwnerKinds {
  readonly #options: OwnerKindsOptions;
  /** By `kindKey`, as the three below. */
  readonly #settled: Set<string>;
  readonly #wanted: Map<string, OwnerKind> = new Map();
  readonly #problems: Map<string, string> = new Map();
  /** Wanted, and not looked for yet. */
  #fresh = 0;
  #found = 0;
  #isLooking = false;
  #wake: () => void = () => {};

  constructor(options: OwnerKindsOptions) {
    this.#options = options;
    this.#settled = new Set(options.known.map(({ resource }) => kindKey(resource)));
  }

  /** Whether more may be known soon. */
  get isLooking(): boolean {
    return this.#isLooking || this.#fresh > 0;
  }

  see(job: DeepReadonly<Job>): void {
    const kind = ownerKindOf(job);
    if (!kind) return;
    const key = kindKey(kind);
    if (this.#settled.has(key) || this.#wanted.has(key) || this.#wanted.size >= MOST_WANTED) return;
    this.#wanted.set(key, kind);
    this.#fresh += 1;
    this.#wake();
  }

  /** Why the objects of a kind that owns Jobs are not judged: a line each. */
  notes(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** Resolves after the abort. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { clock } = this.#options.env;
    while (!signal.aborted) {
      let restMs = LOOK_AGAIN_MS;
      if (this.#wanted.size > 0) {
        if (!(await this.#look(signal))) restMs = TRY_AGAIN_MS;
        await sleep(clock, PACE_MS, signal).catch(() => {}); // aborted: the loop ends
      }
      if (this.#fresh === 0) await this.#rest(restMs, signal);
    }
  }

  /** Until a kind comes that nobody has looked for, or it is time to look again. */
  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(this.#options.env.clock, ms, AbortSignal.any([signal, woken.signal])).catch(() => {}); // by either
    this.#wake = () => {};
  }

  /** False: nothing could be looked for. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const kinds = [...this.#wanted];
    this.#isLooking = true;
    this.#fresh = 0;
    try {
      const served = await this.#options.client.discover(signal);
      for (const [key, kind] of kinds) await this.#lookFor(key, kind, served, signal);
      return true;
    } catch (thrown) {
      if (signal.aborted) return false;
      for (const [key] of kinds) {
        if (this.#wanted.has(key)) this.#tell(key, `${key} cannot be looked for: ${messageOf(thrown)}`);
      }
      return false;
    } finally {
      this.#isLooking = false;
    }
  }

  /** Another version will do where the one that the Job names is not served any more. */
  async #lookFor(
    key: string,
    kind: OwnerKind,
    served: readonly DiscoveredResource[],
    signal: AbortSignal,
  ): Promise<void> {
    const versions = served.filter(
      (other) => kindKey(other) === key && VERBS.every((verb) => other.verbs.includes(verb)),
    );
    const resource = versions.find(({ version }) => version === kind.version) ?? versions[0];
    const problem = resource ? await this.#problemOf(resource, signal) : "is not served by the API server";
    if (signal.aborted) return;
    if (problem !== undefined || !resource) return this.#tell(key, `${key} owns Jobs and is not judged: ${problem}`);
    this.#wanted.delete(key);
    this.#problems.delete(key);
    this.#settled.add(key);
    this.#found += 1;
    const { group, version, kind: name, resource: plural, namespaced } = resource;
    this.#options.env.log.info("judging a kind that owns Jobs", { kind: key });
    this.#options.found(genericParent({ group, version, kind: name, resource: plural, namespaced }));
  }

  async #problemOf(found: DiscoveredResource, signal: AbortSignal): Promise<string | undefined> {
    const { client, namespace } = this.#options;
    if (this.#found >= MOST_FOUND_KINDS) {
      return `${MOST_FOUND_KINDS} other kinds are, and no more: name those that matter in a file of --parents`;
    }
    // What becomes of such an object may be told by Jobs that are not seen.
    if (!found.namespaced && namespace !== undefined)
      return "it has no namespace, and the Jobs of only some are watched";
    const { group, resource } = found;
    const reviews = VERBS.map(async (verb) => {
      const { allowed } = await client.review({ verb, group, resource, ...defined({ namespace }) }, signal);
      return allowed ? [] : [verb];
    });
    const denied = (await Promise.all(reviews)).flat();
    return denied.length === 0 ? undefined : missingRight(defineResource(found), denied, namespace);
  }

  /** A line is logged when it is not the one before. */
  #tell(key: string, problem: string): void {
    if (this.#problems.get(key) === problem) return;
    this.#problems.set(key, problem);
    this.#options.env.log.warn("a kind that owns Jobs is not judged", { why: problem });
  }
}
