import { type Clock, type Random, seededRandom } from "../base/index.ts";
import type { Activity } from "./activity.ts";
import { AccessRules } from "./api/access.ts";
import type { Backend } from "./api/backend.ts";
import { ClusterObjects } from "./cluster-objects.ts";
import { FaultControl } from "./faults/fault-control.ts";
import { KindFaults } from "./faults/kind-faults.ts";
import { RequestFaults } from "./faults/request-faults.ts";
import { builtInKinds } from "./rules/built-in-kinds.ts";
import { collectGarbage } from "./storage/garbage-collector.ts";
import { KindRegistry } from "./storage/kind-registry.ts";
import { cleanNamespaces } from "./storage/namespace-cleaner.ts";
import { ObjectDeleter } from "./storage/object-deleter.ts";
import { ObjectWriter } from "./storage/object-writer.ts";
import { Store } from "./storage/store.ts";
import { Replica } from "./watching/replica.ts";
import { WatchHub } from "./watching/watch-hub.ts";
import { WatchStream } from "./watching/watch-stream.ts";

export interface StateOptions {
  /** Uids, generated names, timeouts; seeded unless given, so that runs repeat. */
  random?: Random;
  /** How many API servers share the store; 1 unless given. */
  replicas?: number;
  /** Changes kept to watch from, to read old versions and to roll back to; 10 000 unless given. */
  historySize?: number;
  /** The version before the first write; above 2^53 it shows who converts versions to numbers. 0 unless given. */
  baseVersion?: bigint;
  /** Collect dependents without owners and empty namespaces that are deleted; true unless given. */
  garbageCollector?: boolean;
  /** How often an idle kind learns that nothing happened (etcd's progress notices); 5 s unless given. */
  progressNotifyMs?: number;
  /** Bearer tokens and the users they stand for. Requests without a token are `system:admin`. */
  users?: Readonly<Record<string, string>>;
}

/** The parts of one embedded server, put together. */
export interface ServerParts {
  readonly backend: Backend;
  readonly hub: WatchHub;
  readonly faults: FaultControl;
  readonly objects: ClusterObjects;
  readonly replicas: readonly Replica[];
}

export function assembleServer(clock: Clock, activity: Activity, options: StateOptions): ServerParts {
  const { historySize = 10_000, baseVersion = 0n, progressNotifyMs = 5_000 } = options;
  const random = options.random ?? seededRandom(1);
  const store = new Store({ clock, historySize, baseVersion });
  const kinds = new KindRegistry(builtInKinds);
  const writer = new ObjectWriter(store, { clock, random });
  const deleter = new ObjectDeleter(store, clock);
  const hub = new WatchHub();
  const replicas = Array.from({ length: options.replicas ?? 1 }, () => new Replica(store, clock, progressNotifyMs));
  const kindFaults = new KindFaults();
  const requestFaults = new RequestFaults(clock, (replica) => replicas.indexOf(replica));
  const storage = { clock, store, kinds, writer, deleter };

  store.onChange((change) => {
    if (kindFaults.takeDrop(change.kind)) change.lost = true;
    hub.dispatch(change);
    activity.note();
  });
  if (options.garbageCollector ?? true) {
    collectGarbage(storage);
    cleanNamespaces(storage);
  }

  const backend: Backend = {
    ...storage,
    random,
    access: new AccessRules(),
    faults: requestFaults,
    users: new Map(Object.entries(options.users ?? {})),
    noteActivity: () => activity.note(),
    openWatch(setup) {
      const stream = new WatchStream(setup, {
        clock,
        store,
        faults: kindFaults,
        onClose: (closed) => hub.delete(closed),
      });
      hub.add(stream);
      return stream;
    },
  };
  const faults = new FaultControl({ store, kinds, hub, kindFaults, requestFaults });
  return { backend, hub, faults, objects: new ClusterObjects(storage), replicas };
}
