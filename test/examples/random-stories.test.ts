import * as fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { isFinishedJob, resources } from "stalewatch";
import type { RequestMatch } from "stalewatch/testing";
import { BLOCK_MOVE, type TerraformRun, terraformRuns } from "../../examples/job-runner/terraform-run.ts";
import { type ProcessOptions, RunnerProcess } from "./runner-process.ts";
import { NAMESPACE, World } from "./world.ts";

const { jobs } = resources;
const KINDS = { runs: terraformRuns, jobs };

/** What may be refused, or not be answered. */
const CALLS = {
  "create Job": { verb: "create", resource: "jobs" },
  "mark run": { verb: "patch", resource: "terraformruns" },
  "write status": { verb: "patch", resource: "terraformruns", subresource: "status" },
  "take lease": { verb: ["create", "patch"], resource: "leases", namespace: NAMESPACE },
  read: { verb: ["get", "list"] },
  anything: {},
} as const satisfies Record<string, RequestMatch>;

type CallName = keyof typeof CALLS;

/** Something that happens. What befalls the process that works at that moment may wait for its next writes. */
type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "change" | "touch" | "pause" | "resume" | "approve" | "delete" | "dropJob"; readonly run: number }
  | { readonly do: "delay"; readonly kind: keyof typeof KINDS; readonly ms: number }
  | { readonly do: "kill" | "stop"; readonly afterWrites: number }
  | { readonly do: "freeze"; readonly afterWrites: number; readonly ms: number }
  | { readonly do: "refuse"; readonly call: CallName; readonly status: number; readonly times: number }
  | { readonly do: "lose" | "slow"; readonly call: CallName; readonly times: number };

interface Wish {
  readonly spec: Partial<TerraformRun["spec"]>;
  readonly owned: boolean;
}

interface Story {
  readonly wishes: readonly Wish[];
  readonly steps: readonly Step[];
  /** Two processes stand for election; one alone works unless so. */
  readonly elects: boolean;
  readonly ungated: boolean;
  readonly seed: number;
}

const wishes: fc.Arbitrary<Wish> = fc.record({
  spec: fc.record(
    {
      cluster: fc.constant("shared"),
      approval: fc.constantFrom("Automatic", "Manual"),
      health: fc.constant({ intervalSeconds: 120 }),
    },
    { requiredKeys: [] },
  ),
  owned: fc.constantFrom(true, true, true, false),
});

const LONGEST_FREEZE_MS = 100_000;
const afterWrites = fc.nat(6);
const call = fc.constantFrom(...(Object.keys(CALLS) as CallName[]));
const times = fc.integer({ min: 1, max: 3 });

const meddling = fc.constantFrom("change", "touch", "pause", "resume", "approve", "delete", "dropJob");
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: record("wait", { ms: fc.constantFrom(0, 60, 700, 2_500, 8_000, 45_000) }) },
  { weight: 6, arbitrary: meddling.chain((what) => record(what, { run: fc.nat(2) })) },
  {
    weight: 4,
    arbitrary: record("delay", {
      kind: fc.constantFrom("runs", "jobs", "jobs"),
      ms: fc.constantFrom(0, 300, 4_000, 30_000),
    }),
  },
  { weight: 4, arbitrary: fc.constantFrom("kill", "stop").chain((what) => record(what, { afterWrites })) },
  { weight: 2, arbitrary: record("freeze", { afterWrites, ms: fc.constantFrom(5_000, 25_000, LONGEST_FREEZE_MS) }) },
  { weight: 3, arbitrary: record("refuse", { call, status: fc.constantFrom(409, 429, 500, 503), times }) },
  { weight: 3, arbitrary: record("lose", { call, times }) },
  { weight: 1, arbitrary: record("slow", { call, times }) },
) as fc.Arbitrary<Step>;

function record<D extends string, F>(
  what: D,
  fields: { [K in keyof F]: fc.Arbitrary<F[K]> },
): fc.Arbitrary<F & { do: D }> {
  return fc.record({ do: fc.constant(what), ...fields }) as unknown as fc.Arbitrary<F & { do: D }>;
}

const stories: fc.Arbitrary<Story> = fc.record({
  wishes: fc.array(wishes, { minLength: 1, maxLength: 3 }),
  steps: fc.array(steps, { minLength: 1, maxLength: 14 }),
  elects: fc.boolean(),
  ungated: fc.boolean(),
  seed: fc.nat(),
});

/** Keeps so many processes running, as a Deployment does. */
class Deployment {
  readonly #world: World;
  readonly #options: ProcessOptions;
  readonly #replicas: RunnerProcess[] = [];
  #seed: number;
  #isOver = false;

  constructor(world: World, { elects, ungated, seed }: Story) {
    this.#world = world;
    this.#seed = seed;
    this.#options = { ...(elects && { elects }), ...(ungated && { ungated }) };
    for (let nth = 0; nth < (elects ? 2 : 1); nth += 1) this.#start(nth);
  }

  /** The one that works, or waits longest to. */
  get working(): RunnerProcess | undefined {
    return this.#replicas.find(({ isWorking }) => isWorking) ?? this.#replicas[0];
  }

  async scaleDown(): Promise<void> {
    this.#isOver = true;
    let isEnded = false;
    const ended = Promise.all(this.#replicas.map((replica) => replica.stop())).finally(() => (isEnded = true));
    // However long: the last write may be the one at which a process was to freeze.
    await until(this.#world, () => isEnded);
    await ended;
  }

  #start(nth: number): void {
    if (this.#isOver) return;
    const seed = (this.#seed += 1);
    const process = new RunnerProcess(this.#world, { ...this.#options, seed });
    this.#replicas[nth] = process;
    void process.ended.then(() => {
      this.#world.clock.setTimer(() => this.#start(nth), 1_000);
    });
  }
}

/** Plays one story; resolves once all is over and nothing is left. */
async function follow(story: Story): Promise<void> {
  const world = await World.start();
  const { clock, cluster } = world;
  const random = seededRandom(story.seed);
  world.fate = () => ({
    end: random() < 0.25 ? "fails" : "succeeds",
    afterMs: [400, 2_000, 9_000][Math.floor(random() * 3)] ?? 0,
  });
  story.wishes.forEach(({ spec, owned }, nth) => world.create(`r${nth}`, spec, { owned }));
  const deployment = new Deployment(world, story);
  const faults: { stop(): void }[] = [];
  for (const step of story.steps) {
    await play(step, { world, deployment, faults });
    expect(world.harm).toEqual([]);
  }

  for (const fault of faults) fault.stop();
  for (const kind of Object.values(KINDS)) cluster.faults.delay(kind, 0);
  world.fate = () => ({ end: "succeeds", afterMs: 2_000 });
  const names = story.wishes.map((_, nth) => `r${nth}`);
  for (const name of names) {
    world.change(name, { spec: { paused: false } });
    if (!world.run(name)?.metadata.ownerReferences?.length) world.adopt(name);
    world.approve(name);
  }
  await until(world, () =>
    world.runs().every((run) => run.metadata.deletionTimestamp === undefined && isAtRest(world, run)),
  );
  for (const name of names) world.delete(name);
  await until(world, () => world.runs().length === 0);
  expect(world.harm).toEqual([]);
  expect(world.jobs().filter((job) => !isFinishedJob(job))).toEqual([]);
  expect(names.filter((name) => world.hasState(name))).toEqual([]);
  await until(world, () => Object.keys(world.holders()).length === 0);
  await deployment.scaleDown();
  await world.pass(LONGEST_FREEZE_MS);
  await world[Symbol.asyncDispose]();
  expect(clock.waitingTimers, "nothing waits in vain").toBe(0);
}

/** Up to date, and nothing stands for a Job. */
function isAtRest(world: World, { metadata, status }: TerraformRun): boolean {
  const isMarked = metadata.annotations?.[BLOCK_MOVE] !== undefined;
  return !isMarked && !status?.activeJob && world.reason(metadata.name) === "UpToDate";
}

/** Lets time pass in steps until `done`. */
async function until(world: World, done: () => boolean): Promise<void> {
  for (let waitedMs = 0; !done(); waitedMs += 5_000) {
    if (waitedMs > 3_600_000) throw new Error(`not at rest after an hour:\n${world.describe()}`);
    await world.pass(5_000);
  }
}

interface Cast {
  readonly world: World;
  readonly deployment: Deployment;
  readonly faults: { stop(): void }[];
}

async function play(step: Step, { world, deployment, faults }: Cast): Promise<void> {
  const { cluster, clock } = world;
  const working = deployment.working;
  switch (step.do) {
    case "wait":
      return world.pass(step.ms);
    case "delay":
      return cluster.faults.delay(KINDS[step.kind], step.ms);
    case "kill":
      return befall(working, step.afterWrites, (process) => void process.kill());
    case "stop":
      return befall(working, step.afterWrites, (process) => void process.stop());
    case "freeze":
      return befall(working, step.afterWrites, ({ transport }) => {
        transport.freeze();
        clock.setTimer(() => transport.thaw(), step.ms);
      });
    case "refuse": {
      const { status, times } = step;
      return void faults.push(cluster.faults.failRequests({ match: CALLS[step.call], status, times }));
    }
    case "lose":
      return void faults.push(cluster.faults.loseAnswers({ match: CALLS[step.call], times: step.times }));
    case "slow":
      return void faults.push(cluster.faults.slowRequests({ match: CALLS[step.call], ms: 3_000, times: step.times }));
    default:
      return meddle(world, step.do, `r${step.run}`, clock.monotonic());
  }
}

/** At once, or between two of its writes. */
function befall(process: RunnerProcess | undefined, afterWrites: number, fate: (process: RunnerProcess) => void): void {
  if (!process) return;
  if (afterWrites === 0) fate(process);
  else process.transport.afterWrites(afterWrites, () => fate(process));
}

/** What people do to a run. */
function meddle(world: World, what: string, name: string, now: number): void {
  const { objects } = world.cluster;
  if (what === "delete") return world.delete(name);
  if (what === "approve") return world.approve(name);
  if (what === "touch") return world.change(name, { metadata: { labels: { touched: `at-${now}` } } });
  if (what === "change") return world.change(name, { spec: { variables: { size: String(now) } } });
  if (what === "dropJob") return world.active(name).forEach(({ metadata }) => objects.delete(jobs, metadata));
  return world.change(name, { spec: { paused: what === "pause" } });
}

test(
  "whatever happens on the way, no two Jobs at once, and all is taken down in the end",
  { timeout: 600_000 },
  async () => {
    await fc.assert(fc.asyncProperty(stories, follow), {
      numRuns: Number(process.env["STORIES"] ?? 500),
      ...(process.env["REPLAY"] ? { path: process.env["REPLAY"] } : {}),
    });
  },
);
