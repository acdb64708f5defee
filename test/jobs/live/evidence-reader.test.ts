import { describe, expect, it } from "vitest";
import { EvidenceReader } from "../../../src/jobs/index.ts";
import { type DeepReadonly, type KubeObject, type Resource, resources } from "../../../src/resources/index.ts";
import { resolveEnv } from "../../../src/telemetry/index.ts";
import { VirtualClock } from "../../../src/testing/index.ts";

const PAGE = 500;

interface Listed {
  readonly namespace: string | undefined;
  readonly fieldSelector: string | undefined;
}

/** An evidence reader on lists that the test gives. */
class Reading implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly lists: Listed[] = [];
  readonly warnings: string[] = [];
  readonly reader: EvidenceReader;
  readonly #stop: AbortController = new AbortController();
  readonly #running: Promise<void>;

  constructor(listed: (list: Listed) => readonly KubeObject[]) {
    const { lists } = this;
    const client = {
      async *list<T extends KubeObject>(_: Resource<T>, { namespace, fieldSelector }: Partial<Listed> = {}) {
        const list = { namespace, fieldSelector };
        lists.push(list);
        const items = listed(list) as readonly DeepReadonly<T>[];
        for (let at = 0; at < items.length; at += PAGE) {
          yield { items: items.slice(at, at + PAGE), resourceVersion: "1", last: at + PAGE >= items.length };
        }
      },
    };
    const warn = (_: string, fields: object = {}): void => void this.warnings.push(JSON.stringify(fields));
    const env = resolveEnv({ clock: this.clock });
    this.reader = new EvidenceReader({ client, env: { ...env, log: { ...env.log, warn } } });
    this.#running = this.reader.run({ signal: this.#stop.signal });
  }

  ask(namespace: string, uid: string): ReturnType<EvidenceReader["ask"]> {
    const question = { resource: resources.events, namespace, by: "about" as const, value: uid };
    return this.reader.ask(question, uid, () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(1_000);
    await this.#running;
  }
}

function eventAbout(uid: string, index: number): KubeObject {
  return {
    metadata: { name: `e-${index}`, uid: `event-${index}`, resourceVersion: "1" },
    involvedObject: { uid },
  } as never;
}

describe("the evidence reader", () => {
  it("looks at each object of a list once, however many questions the list answers", async () => {
    let looks = 0;
    const events = Array.from({ length: 2_000 }, (_, index) => {
      const event = eventAbout("", index);
      Object.defineProperty(event, "involvedObject", {
        get: () => {
          looks += 1;
          return { uid: `job-${index % 1_000}` };
        },
      });
      return event;
    });
    await using reading = new Reading(() => events);
    for (let index = 0; index < 1_000; index += 1) reading.ask("shop", `job-${index}`);
    await reading.clock.advance(1_000);
    expect(reading.lists).toHaveLength(1);
    expect(reading.ask("shop", "job-7")).toEqual({ objects: [events[7], events[1_007]] });
    expect(looks).toBe(events.length);
  });

  it("lets no namespace of too many objects keep the others waiting", async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => eventAbout("nobody", index));
    await using reading = new Reading(({ namespace, fieldSelector }) =>
      namespace === "crowd" && fieldSelector === undefined ? many : [],
    );
    for (let index = 0; index < 1_000; index += 1) reading.ask("crowd", `job-${index}`);
    await reading.clock.advance(1_000);
    for (const name of ["a", "b"]) reading.ask(name, "job");
    await reading.clock.advance(2_000);
    expect(reading.ask("a", "job")).toEqual({ objects: [] });
    expect(reading.ask("b", "job")).toEqual({ objects: [] });
    await reading.clock.advance(300_000);
    expect(reading.ask("crowd", "job-999")).toEqual({ objects: [] });
  });

  it("asks alone once for what was put back, however often it is asked for", async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => eventAbout("nobody", index));
    await using reading = new Reading(({ fieldSelector }) => (fieldSelector === undefined ? many : []));
    for (let round = 0; round < 5; round += 1) {
      for (let index = 0; index < 100; index += 1) reading.ask("crowd", `job-${index}`);
      await reading.clock.advance(1_000);
    }
    await reading.clock.advance(60_000);
    expect(reading.lists.filter(({ fieldSelector }) => fieldSelector !== undefined)).toHaveLength(100);
  });

  it("warns once of what fails again and again, and again when it fails for another reason", async () => {
    let why = "the disk is full";
    await using reading = new Reading(() => {
      throw new Error(why);
    });
    for (let minute = 0; minute < 5; minute += 1) {
      for (const name of ["a", "b"]) reading.ask(name, "job");
      await reading.clock.advance(60_000);
    }
    expect(reading.lists.length).toBeGreaterThan(5);
    expect(reading.warnings).toHaveLength(1);
    why = "the disk is gone";
    reading.ask("a", "job");
    await reading.clock.advance(1_000);
    expect(reading.warnings).toHaveLength(2);
  });

  it("forgets what nobody has asked for in five minutes", async () => {
    await using reading = new Reading(() => []);
    reading.ask("a", "job");
    await reading.clock.advance(240_000);
    expect(reading.ask("a", "job")).toEqual({ objects: [] });
    await reading.clock.advance(301_000);
    expect(reading.ask("a", "job")).toHaveProperty("askedAt");
  });
});
