import { formatDuration, isAbort, systemClock, whenAborted } from "../base/index.ts";
import { Narrator } from "./narrator.ts";
import { Observer } from "./observer.ts";
import { terraformRuns } from "./job-runner.ts";
import { type Scene, scenes, type Shown } from "./scenes.ts";
import { Stage, type StageOptions } from "./stage.ts";

export interface DemoOptions extends StageOptions {
  /** Ends by itself after this long; unset, it begins again until `signal` aborts. */
  readonly forMs?: number;
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly colour: boolean;
}

/**
 * Plays every scene and tells what happens, then sums up. Resolves when nothing of it is left running.
 * Errors: those of the listeners; `DEMO_STALLED` when something that must happen does not.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { forMs, signal } = options;
  const clock = systemClock;
  const tell = new Narrator({ ...options, clock });
  const timeUp = new AbortController();
  const timer = forMs === undefined ? undefined : clock.setTimer(() => timeUp.abort(), forMs, { unref: true });
  const shown: Shown = { passesSkipped: 0, jobsMadeTwice: 0, secondsLate: 0, stuckFound: 0, stuckRecovered: 0 };
  try {
    await using stage = await Stage.set(options);
    introduce(tell, stage, forMs);
    const ending = AbortSignal.any([signal, timeUp.signal]);
    const observe = new Observer(stage.urls, { clock, signal: AbortSignal.any([ending, stage.failed]) });
    try {
      await play({ tell, stage, observe }, shown, forMs === undefined);
      tell.title("That is all");
      tell.say("Everything goes on running until the time is up: look around.");
      await whenAborted(ending);
    } catch (error) {
      if (stage.failed.aborted) throw stage.failed.reason;
      if (!isAbort(error, ending)) throw error;
    }
  } finally {
    timer?.cancel();
  }
  sumUp(tell, shown);
}

async function play(cast: Omit<Scene, "round">, shown: Shown, again: boolean): Promise<void> {
  for (let round = 1; ; round += 1) {
    for (const scene of scenes) await scene({ ...cast, round }, shown);
    if (!again) return;
    cast.tell.title("Once more, until you press Ctrl-C");
    const { objects } = cast.stage.cluster;
    for (const { metadata } of objects.list(terraformRuns)) objects.delete(terraformRuns, metadata);
  }
}

function introduce(tell: Narrator, { cluster, urls, kubeconfig }: Stage, forMs: number | undefined): void {
  tell.title(
    `The stalewatch demo: all of it runs here, in one process${forMs === undefined ? "" : `, for ${formatDuration(forMs)}`}`,
  );
  tell.say(
    "An API server (embedded, with real HTTP) and a stand-in for the Job controller and the kubelet; a controller, examples/job-runner, which keeps TerraformRuns, a small custom resource, by Jobs; another one, the neighbour; and the stalewatch sidecar, which watches.",
  );
  tell.copy("server", cluster.url ?? "");
  tell.copy("metrics", `${urls.metrics}/metrics`);
  if (urls.health) tell.copy("health", `${urls.health}/readyz?verbose`);
  tell.copy("stuck", `${urls.status}/api/v1/jobs`);
  tell.copy("caches", `${urls.status}/api/v1/caches`);
  tell.copy("beside it", `kubectl --kubeconfig ${kubeconfig} get terraformruns,jobs,pods -A`);
}

function sumUp(tell: Narrator, shown: Shown): void {
  tell.title("What was shown");
  tell.say(
    `${shown.passesSkipped} passes skipped because a cache was behind, ${shown.jobsMadeTwice} Jobs made twice, somebody else's cache found late by ${shown.secondsLate.toFixed(1)} s or more, ${shown.stuckFound} stuck ${shown.stuckFound === 1 ? "Job" : "Jobs"} found, ${shown.stuckRecovered} recovered.`,
  );
  tell.say("Everything has stopped; nothing is left running.");
}
