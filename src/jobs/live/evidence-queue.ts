import { familyKey, type Question, questionKey } from "./question.ts";

/** A question that has not been answered, and who waits for it. */
export interface Waiting {
  readonly question: Question;
  /** Monotonic milliseconds. */
  readonly askedAt: number;
  /** By who asks. */
  readonly wakes: Map<string, () => void>;
}

type Family = Map<string, Waiting>;

/** The questions about one kind, the family that has waited longest first. */
export class EvidenceQueue {
  readonly #mostAlone: number;
  readonly #families: Map<string, Family> = new Map();
  readonly #alone: Family = new Map();
  #aloneIsNext = false;

  /** A family of more questions is taken as a whole. */
  constructor(mostAlone: number) {
    this.#mostAlone = mostAlone;
  }

  /** Returns what is known to wait already, or does from now on. */
  add(question: Question, { asker, wake, now }: { asker: string; wake: () => void; now: number }): Waiting {
    const key = questionKey(question);
    const waiting = this.#alone.get(key) ?? this.#inFamily(key, question, now);
    waiting.wakes.set(asker, wake);
    return waiting;
  }

  /** Too much for one list: each gets one of its own. */
  putBackAlone(batch: readonly Waiting[]): void {
    for (const waiting of batch) {
      const key = questionKey(waiting.question);
      const known = this.#alone.get(key);
      if (!known) this.#alone.set(key, waiting);
      else for (const [asker, wake] of waiting.wakes) known.wakes.set(asker, wake);
    }
  }

  /** What to read next: one question, or all of a family. Those that were put back take turns with the others. */
  take(): readonly [Waiting, ...Waiting[]] | undefined {
    const aloneIsNext = this.#aloneIsNext;
    this.#aloneIsNext = !aloneIsNext;
    if (aloneIsNext) return this.#takeAlone() ?? this.#takeFamily();
    return this.#takeFamily() ?? this.#takeAlone();
  }

  #inFamily(key: string, question: Question, now: number): Waiting {
    const familyName = familyKey(question);
    const family = this.#families.get(familyName) ?? new Map<string, Waiting>();
    this.#families.set(familyName, family);
    const waiting = family.get(key) ?? { question, askedAt: now, wakes: new Map<string, () => void>() };
    family.set(key, waiting);
    return waiting;
  }

  #takeAlone(): readonly [Waiting] | undefined {
    const [next] = this.#alone;
    if (!next) return undefined;
    const [key, waiting] = next;
    this.#alone.delete(key);
    return [waiting];
  }

  #takeFamily(): readonly [Waiting, ...Waiting[]] | undefined {
    const [next] = this.#families;
    if (!next) return undefined;
    const [name, family] = next;
    this.#families.delete(name);
    const [first, ...others] = family.values();
    if (!first) return undefined;
    if (family.size > this.#mostAlone) return [first, ...others];
    family.delete(questionKey(first.question));
    // To the end of the line: other families have their turn.
    if (family.size > 0) this.#families.set(name, family);
    return [first];
  }
}
