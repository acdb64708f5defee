import {
  evidenceKinds,
  type Finding,
  genericParent,
  type Parent,
  parentOrder,
  parentResource,
  type ParentRules,
  Snapshot,
  type Verdict,
  verdictOn,
} from "../../../src/jobs/index.ts";
import { type Condition, type Event, type Job, type ObjectMeta, resources } from "../../../src/resources/index.ts";
import { at, CREATED, meta } from "../objects.ts";

export const CONFIGURATION: ParentRules = genericParent({
  group: "terraform.example.com",
  version: "v1",
  kind: "Configuration",
  resource: "configurations",
  namespaced: true,
});

export function parent(status: unknown, more: Partial<ObjectMeta> = {}, spec: unknown = {}): Parent {
  return { metadata: meta("network", { generation: 1, ...more }), spec, status };
}

export function told(
  type: string,
  status: string,
  seconds: number,
  more: { reason?: string; message?: string } = {},
): Condition {
  return { type, status, lastTransitionTime: time(seconds), ...more };
}

/** A Job of `parent()`, made and, unless it still runs, ended so many seconds after `CREATED`. */
export function jobOf(
  name: string,
  made: number,
  end?: { readonly type: "Complete" | "Failed"; readonly at: number },
  more: Partial<ObjectMeta> = {},
): Job {
  const owner = {
    apiVersion: "terraform.example.com/v1",
    kind: "Configuration",
    name: "network",
    uid: "uid-of-network",
  };
  return {
    metadata: meta(name, {
      creationTimestamp: time(made),
      ownerReferences: [{ ...owner, controller: true }],
      ...more,
    }),
    spec: {},
    status: end
      ? {
          conditions: [
            { type: end.type, status: "True", lastTransitionTime: time(end.at), reason: "BackoffLimitExceeded" },
          ],
        }
      : { startTime: time(made), active: 1 },
  };
}

/** The API's form of so many seconds after `CREATED`. */
export function time(seconds: number): string {
  return `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`;
}

export interface Around {
  readonly rules?: ParentRules;
  readonly jobs?: readonly Job[];
  readonly events?: readonly Event[];
  readonly namespaceDeleted?: number;
}

export function judge(object: Parent, around: Around, seconds: number): Verdict {
  const { rules = CONFIGURATION, jobs = [], events, namespaceDeleted } = around;
  const world = new Snapshot();
  world.declare(resources.jobs);
  for (const job of jobs) world.set(resources.jobs, job);
  for (const event of events ?? []) world.set(resources.events, event);
  const deletionTimestamp = namespaceDeleted === undefined ? {} : { deletionTimestamp: time(namespaceDeleted) };
  const { namespace: _, ...namespace } = meta("shop", { creationTimestamp: CREATED, ...deletionTimestamp });
  world.set(evidenceKinds.namespaces, { metadata: namespace });
  return verdictOn({ resource: parentResource(rules), object, order: parentOrder(rules) }, world, at(seconds));
}

export function look(object: Parent, around: Around, seconds: number): Finding | undefined {
  return judge(object, around, seconds).finding;
}
