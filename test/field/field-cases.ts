import { alertCases } from "./cases/alerts.ts";
import { cacheCases } from "./cases/caches.ts";
import { cronJobCases } from "./cases/cronjobs.ts";
import { endingCases } from "./cases/endings.ts";
import { leaseCases } from "./cases/leases.ts";
import { parentCases } from "./cases/parents.ts";
import { podCases } from "./cases/pods.ts";
import { queueCases } from "./cases/queues.ts";
import { withoutPodsCases } from "./cases/without-pods.ts";
import type { FieldCase } from "./field-case.ts";

/** Every report that can be told as a recording, by its id. */
export const fieldCases: readonly FieldCase[] = [
  ...withoutPodsCases,
  ...podCases,
  ...endingCases,
  ...queueCases,
  ...cronJobCases,
  ...parentCases,
  ...cacheCases,
  ...leaseCases,
  ...alertCases,
].toSorted((a, b) => (a.id < b.id ? -1 : 1));
