import { type Clock, messageOf, sleep, whenAborted } from "../../base/index.ts";
import { isForbidden, isNotFound, type ListerWatcher } from "../../kube/index.ts";
import { type DeepReadonly, type KubeObject, type Resource, resourceName } from "../../resources/index.ts";
import type { Counter, Env, Family } from "../../telemetry/index.ts";
import { evidenceReads } from "../metrics.ts";
import { EvidenceQueue, type Waiting } from "./evidence-queue.ts";
import { groupKindText, missingRight } from "./missing-right.ts";
import { type Question, questionKey, scopeOfFamily, scopeOfOne, valueIn } from "./question.ts";

/** What is known in answer to a question. */
export type Answer =
  | { readonly objects: readonly DeepReadonly<KubeObject>[] }
  /** One line, with the rule to add where one is missing. */
  | { readonly unreadable: string }
  /** Nothing yet. Monotonic milliseconds. */
  | { readonly askedAt: number };

interface Known {
  readonly answer: Exclude<Answer, { askedAt: number }>;
  readonly version: string;
  readonly readAt: number;
  usedAt: number;
}

export interface EvidenceReaderOptions {
  readonly client: Pick<ListerWatcher, "list">;
  readonly env: Env;
}

/** An answer is good for this long; after that it is still given, but read again. */
const FRESH_MS = 30_000;
/** Between two reads of one kind: no crowd of suspects may load the API server. */
const PACE_MS = 200;
/** What is not asked for is forgotten. */
const UNUSED_MS = 5 * 60_000;
/** What may not be read, or is not served, is not tried again before. */
const REFUSED_MS = 10 * 60_000;
/** From so many questions of one family on, one list of everything is cheaper than a list for each. */
const MOST_ALONE = 8;
const MOST_LISTED = 10_000;

/**
 * Reads what is needed to judge a suspect and no cache holds. Never waits: a question is noted, read when its turn comes, and whoever
 * asked is woken when the answer is there or has changed.
 *
 * Promises: one read under way for each kind and a pause after it, whoever asks; a question that several ask is read once; many of one
 * family are read as one list. A kind that is forbidden is told of in the answer and let alone for ten minutes. Secrets are never read.
 */
export class EvidenceReader {
  readonly #client: EvidenceReaderOptions["client"];
  readonly #clock: Clock;
  readonly #log: Env["log"];
  readonly #reads: Family<keyof typeof evidenceReads.labels, Counter>;
  readonly #known: Map<string, Known> = new Map();
  readonly #refused: Map<string, { note: string; until: number }> = new Map();
  readonly #unserved: Map<string, number> = new Map();
  /** What was warned of last, by kind. */
  readonly #troubles: Map<string, { why: string; namespace: string | undefined }> = new Map();
  readonly #queues: Map<string, EvidenceQueue> = new Map();
  readonly #reading: Map<string, Promise<void>> = new Map();
  #signal: AbortSignal | undefined;
  #forgotAt = 0;

  constructor({ client, env }: EvidenceReaderOptions) {
    this.#client = client;
    this.#clock = env.clock;
    this.#log = env.log;
    this.#reads = env.meter.counter(evidenceReads);
  }

  /** `wake` is called after an answer that is new or another than before; `asker` tells who asks twice. */
  ask(question: Question, asker: string, wake: () => void): Answer {
    const { resource, namespace = "" } = question;
    const now = this.#clock.monotonic();
    const kind = resourceName(resource);
    this.#forgetUnused(now);
    if (resource.group === "" && resource.resource === "secrets") return { unreadable: "Secrets are never read" };
    if ((this.#unserved.get(kind) ?? 0) > now) return { objects: [] };
    const refused = this.#refused.get(`${kind} ${namespace}`);
    if (refused && refused.until > now) return { unreadable: refused.note };
    const key = questionKey(question);
    const known = this.#known.get(key);
    if (known) known.usedAt = now;
    if (known && now - known.readAt < FRESH_MS) return known.answer;
    const { askedAt } = this.#queue(kind).add(question, { asker, wake, now });
    this.#start(kind);
    return known?.answer ?? { askedAt };
  }

  /** What may not be read at present, and the rule to add: a line each. */
  notes(): readonly string[] {
    const now = this.#clock.monotonic();
    this.#forgetUnused(now);
    return [...this.#refused.values()].filter(({ until }) => until > now).map(({ note }) => note);
  }

  /** Resolves when everything that was asked has been answered. */
  async whenIdle(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading.values());
  }

  /** Reads until the signal aborts; what is asked before waits. Resolves when no read is under way any more. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    this.#signal = signal;
    for (const kind of this.#queues.keys()) this.#start(kind);
    await whenAborted(signal);
    await this.whenIdle();
  }

  #queue(kind: string): EvidenceQueue {
    const known = this.#queues.get(kind);
    if (known) return known;
    const made = new EvidenceQueue(MOST_ALONE);
    this.#queues.set(kind, made);
    return made;
  }

  #start(kind: string): void {
    const signal = this.#signal;
    if (!signal || signal.aborted || this.#reading.has(kind)) return;
    this.#reading.set(kind, this.#readAll(kind, signal));
  }

  async #readAll(kind: string, signal: AbortSignal): Promise<void> {
    const queue = this.#queue(kind);
    await Promise.resolve(); // whoever asks now may have more to ask
    for (let batch = queue.take(); batch && !signal.aborted; batch = queue.take()) {
      const [first, ...others] = batch.filter((waiting) => !this.#answeredMeanwhile(waiting));
      if (!first) continue;
      await this.#read([first, ...others], queue, signal);
      await sleep(this.#clock, PACE_MS, signal).catch(() => {}); // aborted: the loop ends
    }
    // In the same turn as the last look into the queue, so that no question is left behind.
    this.#reading.delete(kind);
  }

  /** A question that was asked again while its answer was under way. */
  #answeredMeanwhile({ question, askedAt, wakes }: Waiting): boolean {
    const known = this.#known.get(questionKey(question));
    if (!known || known.readAt < askedAt) return false;
    for (const wake of wakes.values()) wake();
    return true;
  }

  async #read(batch: readonly [Waiting, ...Waiting[]], queue: EvidenceQueue, signal: AbortSignal): Promise<void> {
    const [{ question }] = batch;
    try {
      const scope = batch.length > 1 ? scopeOfFamily(question) : scopeOfOne(question);
      const objects: DeepReadonly<KubeObject>[] = [];
      for await (const { items } of this.#client.list(question.resource, { ...scope, signal })) {
        for (const item of items) objects.push(item);
        // Too much to be one answer for all of them: each is asked for alone.
        if (batch.length > 1 && objects.length > MOST_LISTED) return queue.putBackAlone(batch);
      }
      this.#count(question.resource, "ok");
      this.#forgetTrouble(question);
      // Many questions and many objects: each object is looked at once.
      const byValue = Map.groupBy(objects, (object) => valueIn(question, object));
      for (const waiting of batch) this.#answer(waiting, { objects: byValue.get(waiting.question.value) ?? [] });
    } catch (thrown) {
      if (!signal.aborted) this.#failed(batch, thrown);
    }
  }

  #failed(batch: readonly [Waiting, ...Waiting[]], thrown: unknown): void {
    const [{ question }] = batch;
    const { resource, namespace } = question;
    const until = this.#clock.monotonic() + REFUSED_MS;
    const kind = resourceName(resource);
    if (isNotFound(thrown)) {
      this.#count(resource, "not_served");
      this.#unserved.set(kind, until);
      for (const waiting of batch) this.#answer(waiting, { objects: [] });
      return;
    }
    const forbidden = isForbidden(thrown);
    this.#count(resource, forbidden ? "forbidden" : "failed");
    const why = forbidden
      ? missingRight(resource, ["list"], namespace)
      : `${groupKindText(resource)} could not be read: ${messageOf(thrown)}`;
    if (forbidden) this.#refused.set(`${kind} ${namespace ?? ""}`, { note: why, until });
    if (this.#troubles.get(kind)?.why !== why) this.#log.warn("evidence could not be read", { why });
    this.#troubles.set(kind, { why, namespace });
    for (const waiting of batch) {
      const before = this.#known.get(questionKey(waiting.question));
      this.#answer(waiting, forbidden ? { unreadable: why } : (before?.answer ?? { unreadable: why }));
    }
  }

  #answer({ question, wakes }: Waiting, answer: Known["answer"]): void {
    const key = questionKey(question);
    const before = this.#known.get(key);
    const version = versionOf(answer);
    const now = this.#clock.monotonic();
    this.#known.set(key, { answer, version, readAt: now, usedAt: before?.usedAt ?? now });
    if (before?.version !== version) for (const wake of wakes.values()) wake();
  }

  #count({ group, resource }: Resource, outcome: "ok" | "forbidden" | "not_served" | "failed"): void {
    this.#reads.labels({ group, resource, outcome }).inc();
  }

  /** The next failure is news again, once what failed before has been read. */
  #forgetTrouble({ resource, namespace }: Question): void {
    const kind = resourceName(resource);
    if (this.#troubles.get(kind)?.namespace === namespace) this.#troubles.delete(kind);
  }

  #forgetUnused(now: number): void {
    if (now - this.#forgotAt < UNUSED_MS) return;
    this.#forgotAt = now;
    for (const [key, { usedAt }] of this.#known) if (now - usedAt >= UNUSED_MS) this.#known.delete(key);
    for (const [key, { until }] of this.#refused) if (until <= now) this.#refused.delete(key);
  }
}

function versionOf(answer: Known["answer"]): string {
  if ("unreadable" in answer) return answer.unreadable;
  return answer.objects.map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`).join(" ");
}
