import { type Finding, type LimitRules, Snapshot } from "../jobs/index.ts";
import type { TargetCacheAnswer } from "../lag/index.ts";
import { resources } from "../resources/index.ts";
import type { KindsInFiles } from "./kinds-in-files.ts";
import { JudgedOverTime } from "./judged-over-time.ts";
import { RecordedCaches } from "./recorded-caches.ts";
import { RecordedObjects } from "./recorded-objects.ts";
import type { RecordedLine } from "./recording.ts";
import type { Transition } from "./transition.ts";

export interface ReplayOptions {
  readonly kinds: KindsInFiles;
  /** Verdicts are taken at each event, and as often as this between them, in milliseconds. */
  readonly stepMs: number;
  /** Wall time in milliseconds to go on to, whatever the recording says; its end unless given. */
  readonly until: number | undefined;
  readonly rules: LimitRules;
}

/** What `stalewatch replay -o json` prints. */
export interface ReplayAnswer {
  readonly transitions: readonly Transition[];
  /** What was found at the end. */
  readonly final: readonly Finding[];
  /** How stale the caches of targets were when they were last seen. */
  readonly caches: readonly TargetCacheAnswer[];
}

/**
 * The verdicts that a sidecar would have given while a recording was made, under a clock that stands where the recording does. Lines
 * come in order of time.
 */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #judged: JudgedOverTime;
  readonly #snapshot: Snapshot = new Snapshot();
  readonly #objects: RecordedObjects;
  readonly #caches: RecordedCaches = new RecordedCaches();
  #startedAt: number | undefined;
  /** Nothing is judged before the lists are there that every verdict rests on: a recording brings them one after the other. */
  #isJudging = false;
  #now = 0;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#objects = new RecordedObjects(this.#snapshot, options.kinds.kept);
    this.#judged = new JudgedOverTime(this.#snapshot, options.kinds, options.rules);
  }

  /** Whether what follows would come after the end that was asked for. */
  isOver(line: RecordedLine): boolean {
    return this.#options.until !== undefined && line.at > this.#options.until;
  }

  /** Errors: says in a few words what of the line cannot be used. */
  take(line: RecordedLine): void {
    this.#advance(line.at);
    this.#caches.take(line);
    const { knownKinds } = this.#snapshot;
    const changes = this.#objects.apply(line);
    const isBeginning =
      !this.#isJudging && this.#snapshot.knows(resources.jobs) && this.#snapshot.knows(resources.pods);
    // Of whom it was asked before, it was not known whether there is one.
    const knowsMore = this.#isJudging && this.#snapshot.knownKinds > knownKinds;
    if (this.#isJudging) this.#judged.changed(changes, line.at);
    if (isBeginning || knowsMore) this.#judgeEverything(line.at);
    this.#judged.advance(line.at);
  }

  end(): ReplayAnswer {
    const end = this.#options.until ?? this.#now;
    this.#advance(end);
    if (!this.#isJudging) this.#judgeEverything(end);
    this.#judged.advance(end);
    return { transitions: this.#judged.transitions, final: this.#judged.list(end), caches: this.#caches.answers() };
  }

  #judgeEverything(now: number): void {
    this.#isJudging = true;
    this.#judged.everything(now);
  }

  /** The steps before `at` at which something falls due. */
  #advance(at: number): void {
    this.#startedAt ??= at;
    const { stepMs } = this.#options;
    if (!this.#isJudging && at >= this.#startedAt + stepMs) this.#judgeEverything(this.#startedAt + stepMs);
    for (let { dueAt } = this.#judged; dueAt !== undefined; { dueAt } = this.#judged) {
      const step = this.#startedAt + Math.ceil((Math.max(dueAt, this.#now) - this.#startedAt) / stepMs) * stepMs;
      if (step >= at) break;
      this.#judged.advance(step);
    }
    this.#now = Math.max(at, this.#now);
  }
}
