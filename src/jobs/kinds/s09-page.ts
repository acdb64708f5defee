import type { KindPage } from "../stuck-kind.ts";

/** Of what waits by design: a Job in a queue, a parent whose condition says what for. */
export const queuedPage: KindPage = {
  id: "S09",
  name: "queued",
  sees: "a suspended Job with a Kueue queue label, or with a Workload that is not admitted; a parent with a condition that says what it waits for",
  lookAlike: "this is one itself: it waits by design, is listed as queued and never counted as stuck",
  means:
    "The object waits for its turn: a Job in a queue for quota, a parent for a lease or for something that it depends on. It goes on by itself; if what it waits for does not come, that is what to look at.",
  remedy: [
    "Read why the Workload has no quota yet in its QuotaReserved condition.",
    "If it waits for longer than usual, see what holds the quota of the ClusterQueue.",
    "Of a parent, read the condition: it names what it waits for.",
  ],
  limits: { infoMs: 0, warningMs: Number.POSITIVE_INFINITY, criticalMs: Number.POSITIVE_INFINITY },
  source: ["https://kueue.sigs.k8s.io/docs/concepts/workload/"],
  reasons: ["Queued", "Waiting"],
};
