import { TargetKinds } from "./target-kinds.ts";
import type { KubeClient } from "../kube/index.ts";
import type { Target } from "./target.ts";
import type { TargetCacheAnswer } from "./target-caches.ts";
import { type TargetStatus, TargetWatch, type TargetWatchOptions } from "./target-watch.ts";

export interface TargetsOptions extends Omit<TargetWatchOptions, "target" | "kinds"> {
  readonly client: Pick<KubeClient, "discover">;
  readonly targets: readonly Target[];
}

/** Other people's processes and how late their caches are. */
export class Targets {
  readonly #watches: readonly TargetWatch[];

  constructor({ client, targets, ...options }: TargetsOptions) {
    const kinds = new TargetKinds(client, options.env);
    this.#watches = targets.map((target) => new TargetWatch({ ...options, target, kinds }));
  }

  /** Resolves after the abort. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.run({ signal })));
  }

  status(): readonly TargetStatus[] {
    return this.#watches.map((watch) => watch.status());
  }

  caches(): readonly TargetCacheAnswer[] {
    return this.#watches.flatMap((watch) => watch.answers());
  }
}
