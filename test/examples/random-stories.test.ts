import * as fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { isFinishedJob, KubeClient, resources } from "stalewatch";
import { sweepOrphans } from "../../examples/job-runner/orphan-sweep.ts";
import { BLOCK_MOVE, type TerraformRun, terraformRuns } from "../../examples/job-runner/terraform-run.ts";
import { type ProcessOptions, RunnerProcess } from "./runner-process.ts";
import { World } from "./world.ts";

const { jobs } = resources;
const KINDS = { runs: terraformRuns, jobs };

type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "change" | "touch" | "pause" | "resume" | "approve" | "delete" | "dropJob"; readonly run: number }
  | { readonly do: "delay"; readonly kind: keyof typeof KINDS; readonly ms: number }
  | { readonly do: "kill" | "stop" | "freeze" }
  | { readonly do: "killAfterWrites"; readonly count: number }
  | {
      readonly do: "refuse";
      readonly verb: "create" | "patch" | "get" | "list";
      readonly status: 409 | 429 | 500 | 503;
      readonly times: number;
    }
  | { readonly do: "lose"; readonly verb: "create" | "patch" | "get"; readonly times: number }
  | { readonly do: "slow"; readonly ms: number; readonly times: number };

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

const run = fc.nat(2);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(0, 60, 700, 2_500, 8_000, 45_000) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("change", "touch", "pause", "resume", "approve", "delete", "dropJob"),
      run,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("delay"),
      kind: fc.constantFrom("runs", "jobs"),
      ms: fc.constantFrom(0, 300, 4_000, 30_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("kill", "stop", "freeze") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("killAfterWrites"), count: fc.nat(6) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("refuse"),
      verb: fc.constantFrom("create", "patch", "get", "list"),
      status: fc.constantFrom(409, 429, 500, 503),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("lose"),
      verb: fc.constantFrom("create", "patch", "get"),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("slow"),
      ms: fc.constantFrom(500, 3_000),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
) as fc.Arbitrary<Step>;

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
    const ended = Promise.all(this.#replicas.map((replica) => replica.stop()));
    await this.#world.pass(60_000);
    await ended;
  }

  #start(nth: number): void {
    const seed = (this.#seed += 1);
    const process = new RunnerProcess(this.#world, { ...this.#options, seed });
    this.#replicas[nth] = process;
    void process.ended.then(() => {
      if (!this.#isOver) this.#world.clock.setTimer(() => this.#start(nth), 1_000);
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
  await world.pass(61_000);
  const client = new KubeClient({ transport: cluster.transport(), env: { clock } });
  await sweep(world, client);
  expect(world.holders()).toEqual({});
  await deployment.scaleDown();
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

async function sweep(world: World, client: KubeClient): Promise<void> {
  const swept = sweepOrphans(client, world.clock.now(), new AbortController().signal);
  await world.pass(0);
  await swept;
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
      return void working?.kill();
    case "stop":
      return void working?.stop();
    case "freeze":
      working?.transport.freeze();
      return void clock.setTimer(() => working?.transport.thaw(), 25_000);
    case "killAfterWrites":
      return working?.transport.killAfterWrites(step.count);
    case "refuse": {
      const { verb, status, times } = step;
      return void faults.push(cluster.faults.failRequests({ match: { verb }, status, times }));
    }
    case "lose":
      return void faults.push(cluster.faults.loseAnswers({ match: { verb: step.verb }, times: step.times }));
    case "slow":
      return void faults.push(cluster.faults.slowRequests({ ms: step.ms, times: step.times }));
    default:
      return meddle(world, step.do, `r${step.run}`, clock.monotonic());
  }
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
      ...(process.env["SEED"] ? { seed: Number(process.env["SEED"]) } : {}),
      ...(process.env["REPLAY"] ? { path: process.env["REPLAY"] } : {}),
    });
  },
);
