import { ControllerManager, RealCluster } from "../harness/index.ts";
import { cronJobs } from "./cronjobs.ts";
import { endings } from "./endings.ts";
import { healthy } from "./healthy.ts";
import { leftAlone } from "./left-alone.ts";
import { LOST_WORKER, Place, timestamp, WORKER } from "./place.ts";
import { refused } from "./refused.ts";
import type { Act, Scenario } from "./scenario.ts";
import { stopped } from "./stopped.ts";
import { waitingPods } from "./waiting.ts";
import { Webhooks } from "./webhooks.ts";

export const scenarios: readonly Scenario[] = [
  ...refused,
  ...waitingPods,
  ...endings,
  ...leftAlone,
  ...stopped,
  ...cronJobs,
];

/** None removes finished Jobs. The Job controller runs on its own, so that it can be stopped alone. */
const OTHER_CONTROLLERS = [
  "cronjob-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "resourcequota-controller",
  "serviceaccount-controller",
];

/** A cluster in which each scenario has been brought about, with no controller at work any more: nothing changes by itself. */
export class Stage implements AsyncDisposable {
  readonly cluster: RealCluster;
  readonly #places: ReadonlyMap<Act, Place>;

  private constructor(cluster: RealCluster, places: ReadonlyMap<Act, Place>) {
    this.cluster = cluster;
    this.#places = places;
  }

  /** `whileMaking` runs once there is an API server, with the controllers still to be started. */
  static async make(whileMaking: (cluster: RealCluster) => Promise<void>): Promise<Stage> {
    const cluster = await RealCluster.start({ controllerManager: false, checksServiceAccounts: true });
    try {
      await whileMaking(cluster);
      return new Stage(cluster, await play(cluster));
    } catch (thrown) {
      await cluster.stop({ keepLogs: true });
      throw thrown;
    }
  }

  placeOf(act: Act): Place {
    return this.#places.get(act) as Place;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.stop();
  }
}

async function play(cluster: RealCluster): Promise<ReadonlyMap<Act, Place>> {
  await makeNode(cluster, WORKER, "True");
  await makeNode(cluster, LOST_WORKER, "Unknown");
  const places = new Map<Act, Place>();
  const each = async (step: (act: Act, place: Place) => Promise<void> | undefined): Promise<void> => {
    await Promise.all([...places].map(async ([act, place]) => step(act, place)));
  };
  await using webhooks = await Webhooks.start(cluster);
  {
    await using _others = await ControllerManager.start(cluster, { controllers: OTHER_CONTROLLERS });
    {
      await using _jobController = await ControllerManager.start(cluster, { controllers: ["job-controller"] });
      await Promise.all(
        [...scenarios, ...healthy].map(async (act) => places.set(act, await Place.make(cluster, act.name))),
      );
      await each((act, place) => act.make?.(place, webhooks));
    }
    await each((act, place) => act.withoutJobController?.(place));
    await each((act, place) => act.settle?.(place));
  }
  await each((act, place) => act.withoutControllers?.(place));
  return places;
}

/** As its kubelet reports it, or the node controller of one whose kubelet is silent. */
async function makeNode({ raw }: RealCluster, name: string, ready: string): Promise<void> {
  const conditions = [{ type: "Ready", status: ready, reason: "Test", lastTransitionTime: timestamp() }];
  await raw.post("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name }, status: { conditions } });
}
